//! Which region of memory is which buffer, argument or variable.

use tilewise_ir::pointer::{Region, pack};
use tilewise_ir::{Kernel, ParamBinding, Space, VarId, Variable};
use tilewise_launch::{ArgValue, Image, Launch};

use crate::error::SimError;
use crate::image::ImageLayout;

/// End of a buffer whose length is not given, in bytes.
pub(crate) const UNKNOWN_LENGTH: u64 = 1 << 38;

/// What a region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// No memory at all.
    Null,
    /// The buffer or image of an argument; its aliases name the same region.
    Buffer {
        /// Index of the argument that holds the buffer.
        arg: usize,
    },
    /// A program-scope variable.
    Program {
        /// The variable.
        var: VarId,
    },
    /// A `__local` argument.
    LocalArg {
        /// Index of the argument.
        arg: usize,
    },
    /// A `__local` variable.
    LocalVar {
        /// The variable.
        var: VarId,
    },
    /// A private variable.
    Private {
        /// The variable.
        var: VarId,
    },
}

/// Where the words of a region are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Nowhere,
    /// In the launch's [`super::Memory`].
    Paged,
    /// In the group's local memory, from this word on.
    Local(u32),
    /// In the sub-group's private memory, from this word on.
    Private(u32),
}

/// One region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionInfo {
    /// What it is.
    pub kind: RegionKind,
    /// Its name in the source.
    pub name: String,
    /// Address space.
    pub space: Space,
    /// Size in bytes; `None` for a buffer whose length is not given.
    pub bytes: Option<u64>,
    /// Size in bytes of one element (of the buffer, or the scalars of a
    /// variable).
    pub elem_bytes: u64,
    /// The contents are generated, not given by the user.
    pub generated: bool,
    /// Size and format, where it is an image.
    pub image: Option<ImageLayout>,
    /// First 4-byte word in the group's local memory or the sub-group's
    /// private memory.
    pub(crate) first_word: usize,
}

/// The regions of one launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regions {
    list: Vec<RegionInfo>,
    args: Vec<Option<Region>>,
    vars: Vec<Region>,
    pub(crate) local_words: usize,
    pub(crate) private_words: usize,
}

impl Regions {
    /// Numbers the regions: global and constant memory first, in the order of
    /// the arguments, then program-scope variables, local memory and private
    /// variables.
    ///
    /// # Errors
    /// Where an argument does not fit its parameter.
    pub fn new(kernel: &Kernel, launch: &Launch) -> Result<Self, SimError> {
        if kernel.params.len() != launch.args.len() {
            return Err(SimError::ArgumentCount {
                kernel: kernel.name.clone(),
                expected: kernel.params.len(),
                given: launch.args.len(),
            });
        }
        let mut regions = Self {
            list: vec![RegionInfo {
                kind: RegionKind::Null,
                name: "null".to_owned(),
                space: Space::Generic,
                bytes: Some(0),
                elem_bytes: 1,
                generated: false,
                image: None,
                first_word: 0,
            }],
            args: vec![None; launch.args.len()],
            vars: vec![Region::NULL; kernel.vars.len()],
            local_words: 0,
            private_words: 0,
        };
        regions.buffers(kernel, launch)?;
        regions.program_variables(kernel);
        regions.local(kernel, launch)?;
        regions.private_variables(kernel);
        if regions.list.len() > i16::MAX as usize {
            return Err(SimError::TooManyRegions(regions.list.len()));
        }
        Ok(regions)
    }

    fn buffers(&mut self, kernel: &Kernel, launch: &Launch) -> Result<(), SimError> {
        for (index, (param, arg)) in kernel.params.iter().zip(&launch.args).enumerate() {
            let fail = |why: String| SimError::Argument {
                index,
                name: param.name.clone(),
                why,
            };
            let space = match param.binding {
                ParamBinding::Pointer { space, .. } => space,
                ParamBinding::Image { .. } => {
                    match &arg.value {
                        ArgValue::Image(image) => {
                            let region = self.image(index, &param.name, image);
                            self.args[index] = Some(region);
                        }
                        ArgValue::Alias { .. } => {}
                        _ => return Err(fail("the kernel takes an image".into())),
                    }
                    continue;
                }
                ParamBinding::Values(_) | ParamBinding::ByValue(_) => {
                    if matches!(arg.value, ArgValue::Bytes(_) | ArgValue::Sampler(_)) {
                        continue;
                    }
                    return Err(fail(
                        "the kernel takes a value, the launch gives memory".into(),
                    ));
                }
            };
            match &arg.value {
                ArgValue::Buffer(_) | ArgValue::Alias { .. } | ArgValue::Null
                    if space == Space::Local =>
                {
                    return Err(fail(
                        "the kernel takes local memory, the launch gives a buffer".into(),
                    ));
                }
                ArgValue::Buffer(buffer) => {
                    let region = self.add(RegionInfo {
                        kind: RegionKind::Buffer { arg: index },
                        name: param.name.clone(),
                        space,
                        bytes: buffer.bytes(),
                        elem_bytes: buffer.elem.size().max(1),
                        generated: buffer.generated,
                        image: None,
                        first_word: 0,
                    });
                    self.args[index] = Some(region);
                }
                ArgValue::Image(_) => {
                    return Err(fail(
                        "the kernel takes a pointer, the launch gives an image".into(),
                    ));
                }
                ArgValue::Bytes(_) | ArgValue::Sampler(_) => {
                    return Err(fail(
                        "the kernel takes a pointer, the launch gives a value".into(),
                    ));
                }
                ArgValue::Local { .. } if space != Space::Local => {
                    return Err(fail(
                        "the kernel takes a buffer, the launch gives local memory".into(),
                    ));
                }
                ArgValue::Alias { .. } | ArgValue::Local { .. } | ArgValue::Null => {}
            }
        }
        for (index, arg) in launch.args.iter().enumerate() {
            if let ArgValue::Alias { of } = arg.value {
                let fail = |what: &str| SimError::Argument {
                    index,
                    name: arg.name.clone(),
                    why: format!(
                        "it is to be the same memory as argument {of}, which is no {what}"
                    ),
                };
                let region = self.args.get(of).copied().flatten();
                let region = region.ok_or_else(|| fail("buffer"))?;
                let takes_image =
                    matches!(kernel.params[index].binding, ParamBinding::Image { .. });
                match self.get(region).image {
                    Some(_) if !takes_image => return Err(fail("buffer")),
                    None if takes_image => return Err(fail("image")),
                    _ => self.args[index] = Some(region),
                }
            }
        }
        Ok(())
    }

    fn image(&mut self, index: usize, name: &str, image: &Image) -> Region {
        self.add(RegionInfo {
            kind: RegionKind::Buffer { arg: index },
            name: name.to_owned(),
            space: Space::Global,
            bytes: image.texels.bytes(),
            elem_bytes: image.texels.elem.size().max(1),
            generated: image.texels.generated,
            image: Some(ImageLayout::new(image)),
            first_word: 0,
        })
    }

    fn program_variables(&mut self, kernel: &Kernel) {
        for (i, var) in kernel.vars.iter().enumerate() {
            if !matches!(var.space, Space::Local | Space::Private) {
                let kind = RegionKind::Program { var: VarId::new(i) };
                self.vars[i] = self.add(variable(kernel, i, kind));
            }
        }
    }

    fn local(&mut self, kernel: &Kernel, launch: &Launch) -> Result<(), SimError> {
        for (i, var) in kernel.vars.iter().enumerate() {
            if var.space == Space::Local {
                let kind = RegionKind::LocalVar { var: VarId::new(i) };
                self.vars[i] = self.add_local(variable(kernel, i, kind));
            }
        }
        for (index, arg) in launch.args.iter().enumerate() {
            let ArgValue::Local { bytes } = arg.value else {
                continue;
            };
            if bytes > u64::from(u32::MAX) {
                return Err(SimError::Argument {
                    index,
                    name: arg.name.clone(),
                    why: format!("{bytes} bytes of local memory; no device has as much"),
                });
            }
            let region = self.add_local(RegionInfo {
                kind: RegionKind::LocalArg { arg: index },
                name: arg.name.clone(),
                space: Space::Local,
                bytes: Some(bytes),
                elem_bytes: 4,
                generated: false,
                image: None,
                first_word: 0,
            });
            self.args[index] = Some(region);
        }
        Ok(())
    }

    fn private_variables(&mut self, kernel: &Kernel) {
        for (i, var) in kernel.vars.iter().enumerate() {
            if var.space == Space::Private {
                let kind = RegionKind::Private { var: VarId::new(i) };
                let mut info = variable(kernel, i, kind);
                info.first_word = self.private_words;
                self.private_words += words(var.size);
                self.vars[i] = self.add(info);
            }
        }
    }

    fn add(&mut self, info: RegionInfo) -> Region {
        // A number too large is refused once all are counted.
        let region = Region(self.list.len() as u16);
        self.list.push(info);
        region
    }

    fn add_local(&mut self, mut info: RegionInfo) -> Region {
        info.first_word = self.local_words;
        self.local_words += words(info.bytes.unwrap_or(0));
        self.add(info)
    }

    /// All regions by number; number 0 is the null region.
    pub fn all(&self) -> &[RegionInfo] {
        &self.list
    }

    /// The region with this number.
    pub fn get(&self, region: Region) -> &RegionInfo {
        let index = usize::from(region.0);
        self.list.get(index).unwrap_or(&self.list[0])
    }

    /// The region that a pointer argument points to.
    pub fn of_arg(&self, arg: usize) -> Option<Region> {
        self.args.get(arg).copied().flatten()
    }

    /// The region of a variable.
    pub fn of_var(&self, var: VarId) -> Region {
        self.vars[var.index()]
    }

    /// What a variable holds at the start, its addresses filled in; empty where
    /// nothing has set it.
    pub(crate) fn initial_bytes(&self, variable: &Variable) -> Vec<u8> {
        let mut bytes = variable.init.clone().unwrap_or_default();
        for address in &variable.addresses {
            let pointer = pack(self.of_var(address.var), address.offset);
            let place = bytes.get_mut(address.at as usize..);
            if let Some(place) = place.and_then(|p| p.first_chunk_mut()) {
                *place = pointer.to_le_bytes();
            }
        }
        bytes
    }

    /// Where the words of each region are.
    pub(crate) fn places(&self) -> Vec<Place> {
        let place = |r: &RegionInfo| match r.kind {
            RegionKind::Null => Place::Nowhere,
            RegionKind::Buffer { .. } | RegionKind::Program { .. } => Place::Paged,
            RegionKind::LocalArg { .. } | RegionKind::LocalVar { .. } => {
                Place::Local(r.first_word as u32)
            }
            RegionKind::Private { .. } => Place::Private(r.first_word as u32),
        };
        self.list.iter().map(place).collect()
    }

    /// Length of each region in bytes, as far as accesses are checked.
    pub(crate) fn lengths(&self) -> Vec<u64> {
        self.list
            .iter()
            .map(|r| r.bytes.unwrap_or(UNKNOWN_LENGTH))
            .collect()
    }
}

fn words(bytes: u64) -> usize {
    bytes.div_ceil(4) as usize
}

fn variable(kernel: &Kernel, index: usize, kind: RegionKind) -> RegionInfo {
    let var = &kernel.vars[index];
    RegionInfo {
        kind,
        name: var.name.clone(),
        space: var.space,
        bytes: Some(var.size),
        elem_bytes: u64::from(var.elem_size.max(1)),
        generated: false,
        image: None,
        first_word: 0,
    }
}
