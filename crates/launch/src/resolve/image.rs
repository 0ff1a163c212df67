//! Image and sampler arguments.

use super::Note;
use super::assign::{Given, arg_flag};
use super::pointer::Pointer;
use super::scalars::text_error;
use crate::error::LaunchError;
use crate::expr::{Env, Expr, Num};
use crate::image::{ChannelOrder, ChannelType};
use crate::image::{Image, ImageDims, ImageFormat, ImageType, Sampler, SamplerError, TexelKind};
use crate::parse::{ArgText, ValueText};
use crate::resolved::{ArgValue, Buffer, Fill};
use crate::signature::{Param, Signature, ValueType};

/// One image argument as given.
pub(super) struct ImageArg<'a> {
    pub(super) signature: &'a Signature,
    pub(super) index: usize,
    pub(super) param: &'a Param,
    pub(super) ty: ImageType,
    pub(super) texel: Option<TexelKind>,
    pub(super) given: &'a Given<'a>,
}

/// An image of that kind as a user writes it.
pub(super) fn example(dims: ImageDims) -> &'static str {
    match dims {
        ImageDims::D1 | ImageDims::Buffer => "image[1024]:rgba8",
        ImageDims::D1Array => "image[1024,4]:rgba8",
        ImageDims::D2 => "image[1024,768]:rgba8",
        ImageDims::D2Array => "image[1024,768,4]:rgba8",
        ImageDims::D3 => "image[64,64,64]:rgba8",
    }
}

impl ImageArg<'_> {
    /// Whether nothing was said of the contents.
    pub(super) fn is_random(&self) -> bool {
        matches!(self.given.text, ArgText::Image { fill: None, .. })
    }

    /// The image. `kept` is its value in the launch as given, where sizes were
    /// changed since. (Sizes in numbers stay: an image has no unknown size.)
    pub(super) fn image(
        &self,
        env: &Env<'_>,
        kept: Option<&ArgValue>,
        notes: &mut Vec<Note>,
    ) -> Result<ArgValue, LaunchError> {
        let (sizes, format, fill) = match &self.given.text {
            ArgText::Image {
                sizes,
                format,
                fill,
            } => (sizes, *format, fill.as_ref()),
            ArgText::Same(name) => return self.pointer(&UNKNOWN_TEXEL).same(name),
            ArgText::File(_) => {
                return Err(self.wrong_kind("whose size a file does not tell"));
            }
            ArgText::Null => return Err(self.wrong_kind("an image, which is never null")),
            _ => return Err(self.wrong_kind("an image: it needs its sizes in brackets")),
        };
        let (size, layers) = self.size(sizes, env)?;
        let format = match format {
            Some(format) => self.checked(format)?,
            None => self.default_format(sizes, notes)?,
        };
        let texel = ValueType::Elem(format.texel());
        let len = size
            .into_iter()
            .chain([layers])
            .try_fold(1_u64, u64::checked_mul);
        let bytes = len.and_then(|len| len.checked_mul(texel.size()));
        let (Some(len), Some(_)) = (len, bytes.filter(|&b| b <= i64::MAX as u64)) else {
            return Err(LaunchError::TooLarge {
                place: self.given.place(),
                what: format!("the size of {} in bytes", self.param.name),
            });
        };
        let fill = self.pointer(&texel).contents(fill, &texel, env, kept)?;
        self.check_file(&fill, len, &texel)?;
        Ok(ArgValue::Image(Image {
            dims: self.ty.dims,
            size,
            layers,
            format,
            texels: Buffer {
                generated: matches!(fill, Fill::Random { .. }),
                elem: texel,
                len: Some(len),
                fill,
            },
        }))
    }

    /// Width, height and depth, and the number of layers.
    fn size(&self, sizes: &[Expr], env: &Env<'_>) -> Result<([u64; 3], u64), LaunchError> {
        let dims = self.ty.dims;
        if sizes.len() != dims.sizes() {
            return Err(self.pointer(&UNKNOWN_TEXEL).value_error(format!(
                "it has {} {} ({}), {} {} given; write for instance {}",
                dims.sizes(),
                if dims.sizes() == 1 { "size" } else { "sizes" },
                dims.size_names(),
                sizes.len(),
                if sizes.len() == 1 { "is" } else { "are" },
                arg_flag(&self.param.name, example(dims)),
            )));
        }
        let mut values = Vec::new();
        for expr in sizes {
            let value = expr
                .eval_size(env)
                .map_err(|error| text_error(self.given.place(), error))?;
            if value == 0 {
                return Err(LaunchError::ZeroSize {
                    place: self.given.place(),
                    what: format!("a size of {} (`{expr}`)", self.param.name),
                });
            }
            values.push(value);
        }
        let layers = if dims.is_array() {
            values.pop().unwrap_or(1)
        } else {
            1
        };
        let mut size = [1; 3];
        for (to, from) in size.iter_mut().zip(values) {
            *to = from;
        }
        // The kernel asks for them as `int`.
        if size.iter().chain([&layers]).any(|&n| n > i32::MAX as u64) {
            return Err(LaunchError::TooLarge {
                place: self.given.place(),
                what: format!("a size of {} is beyond 2^31, and so", self.param.name),
            });
        }
        Ok((size, layers))
    }

    /// A format that fits what the kernel does.
    fn checked(&self, format: ImageFormat) -> Result<ImageFormat, LaunchError> {
        let fail = |problem: String| Err(self.pointer(&UNKNOWN_TEXEL).value_error(problem));
        if self.ty.depth != (format.order == ChannelOrder::Depth) {
            return fail(if self.ty.depth {
                format!("a depth image has the format depth16 or depth32f, {format} is given")
            } else {
                format!("{format} is the format of a depth image; r16 or r32f is alike")
            });
        }
        let used = match self.texel {
            Some(kind) if kind != format.channel.kind() => kind,
            _ => return Ok(format),
        };
        match used {
            TexelKind::Float => fail(format!(
                "the kernel accesses it as floats (read_imagef, write_imagef), {format} holds \
                 integers; a format such as rgba8 or rgba32f would do"
            )),
            TexelKind::Integer => fail(format!(
                "the kernel accesses it as integers (read_imagei, read_imageui), {format} holds \
                 none; a format such as rgba32i or rgba8ui would do"
            )),
        }
    }

    fn default_format(
        &self,
        sizes: &[Expr],
        notes: &mut Vec<Note>,
    ) -> Result<ImageFormat, LaunchError> {
        let name = &self.param.name;
        let sizes: Vec<String> = sizes.iter().map(Expr::to_string).collect();
        let sizes = sizes.join(",");
        if self.texel == Some(TexelKind::Integer) {
            let flag = |format: &str| arg_flag(name, &format!("image[{sizes}]:{format}"));
            return Err(self.pointer(&UNKNOWN_TEXEL).value_error(format!(
                "its format is missing, and the kernel takes it for integers: write {} for \
                 read_imagei, {} for read_imageui",
                flag("rgba32i"),
                flag("rgba32ui"),
            )));
        }
        let format = ImageFormat {
            order: if self.ty.depth {
                ChannelOrder::Depth
            } else {
                ChannelOrder::Rgba
            },
            channel: if self.ty.depth {
                ChannelType::Float
            } else {
                ChannelType::Unorm8
            },
        };
        notes.push(Note {
            text: format!("{name}: format not given, {format} taken"),
            flag: arg_flag(name, &format!("image[{sizes}]:{format}")),
        });
        Ok(format)
    }

    fn check_file(&self, fill: &Fill, len: u64, texel: &ValueType) -> Result<(), LaunchError> {
        let Fill::File { path, data } = fill else {
            return Ok(());
        };
        let held = data.len() as u64 / texel.size().max(1);
        if held == len {
            return Ok(());
        }
        Err(LaunchError::Contents {
            place: self.given.place(),
            path: path.clone(),
            problem: format!("it holds {held} texels, the image has {len}"),
        })
    }

    fn pointer<'p>(&'p self, texel: &'p ValueType) -> Pointer<'p> {
        Pointer {
            signature: self.signature,
            index: self.index,
            param: self.param,
            elem: texel,
            given: self.given,
        }
    }

    fn wrong_kind(&self, problem: &str) -> LaunchError {
        self.pointer(&UNKNOWN_TEXEL).wrong_kind(problem)
    }
}

/// Stands for a texel where only messages are made.
const UNKNOWN_TEXEL: ValueType = ValueType::Opaque { size: 1, align: 1 };

/// A sampler from its words or its number; the default where none is given.
pub(super) fn sampler(
    param: &Param,
    given: Option<&Given<'_>>,
    env: &Env<'_>,
    notes: &mut Vec<Note>,
) -> Result<ArgValue, LaunchError> {
    let Some(given) = given else {
        let taken = Sampler::DEFAULT;
        notes.push(Note {
            text: format!("{}: sampler not given, {taken} taken", param.name),
            flag: arg_flag(&param.name, "clamp_to_edge,linear,normalized"),
        });
        return Ok(ArgValue::Sampler(taken));
    };
    let failed = |error: SamplerError| LaunchError::Value {
        place: given.place(),
        name: param.name.clone(),
        spelling: param.spelling.clone(),
        problem: error.to_string(),
    };
    let read = match &given.text {
        ArgText::Words(words) => Sampler::from_words(words.iter().map(String::as_str)),
        ArgText::Value(ValueText::Scalar(expr)) => match expr.eval(env) {
            Ok(Num::Int(bits)) => Sampler::from_bits(u64::try_from(bits).unwrap_or(u64::MAX)),
            // A word alone.
            _ if expr.names() == [expr.to_string()] => Sampler::from_words(expr.names()),
            Ok(Num::Float(_)) => return Err(no_sampler(param, given)),
            Err(error) => return Err(text_error(given.place(), error)),
        },
        _ => return Err(no_sampler(param, given)),
    };
    read.map(ArgValue::Sampler).map_err(failed)
}

fn no_sampler(param: &Param, given: &Given<'_>) -> LaunchError {
    LaunchError::WrongKind {
        place: given.place(),
        name: param.name.clone(),
        spelling: param.spelling.clone(),
        problem: "a sampler: it is made of words or of OpenCL C's number".to_owned(),
        suggestion: arg_flag(&param.name, "clamp_to_edge,nearest"),
    }
}
