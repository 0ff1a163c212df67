//! Kernels that call every function, and the arguments they get.

use tilewise_launch::SplitMix64;

use super::table::{Call, Res};
use super::types::{Elem, Kind, of};

/// Elements of each argument; every length divides it.
pub const ELEMENTS: usize = 768;

/// Room for one result of every element.
pub const SLOT: usize = ELEMENTS * 8;

/// Where the results of a call of one length stand.
pub struct Slot {
    /// Index of the call in its kernel.
    pub call: usize,
    /// Length of the vectors.
    pub length: u32,
    /// Type and number of components of what is stored.
    pub stored: (Elem, u32),
    /// It is the call's second result.
    pub second: bool,
}

/// A kernel with its calls.
pub struct TestKernel {
    pub name: String,
    pub elem: Elem,
    pub calls: Vec<Call>,
    pub slots: Vec<Slot>,
    pub text: String,
}

/// Type and components of a result.
fn stored(result: Res, elem: Elem, length: u32) -> (Elem, u32) {
    let int = of(Kind::Signed, 4);
    match result {
        Res::Same => (elem, length),
        Res::Scalar => (elem, 1),
        Res::Pair => (elem, 2),
        Res::Unsigned => (of(Kind::Unsigned, elem.size), length),
        Res::Int => (int, length),
        Res::OneInt => (int, 1),
        Res::Truth if length == 1 => (int, 1),
        Res::Truth => (of(Kind::Signed, elem.size), length),
        Res::Wide => (of(elem.kind, 2 * elem.size), length),
        Res::Of(other) => (other, length),
    }
}

/// Whether an expression uses a variable of one letter.
fn uses(text: &str, variable: char) -> bool {
    let letters: Vec<char> = text.chars().collect();
    let part = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_' || *c == '$');
    (0..letters.len()).any(|i| {
        letters[i] == variable && !(i > 0 && part(letters.get(i - 1))) && !part(letters.get(i + 1))
    })
}

/// A kernel of calls on one type. `lengths` says which lengths of a call to
/// take.
pub fn kernel(
    name: &str,
    elem: Elem,
    calls: Vec<Call>,
    lengths: impl Fn(&Call) -> Vec<u32>,
) -> TestKernel {
    let mut slots = Vec::new();
    let mut body = String::new();
    for (index, call) in calls.iter().enumerate() {
        for length in lengths(call) {
            body.push_str(&statement(elem, call, index, length, &mut slots));
        }
    }
    let t = elem.name;
    let text = format!(
        "__kernel void {name}(__global const {t} *x, __global const {t} *y, \
         __global const {t} *w, __global const int *m, __global uchar *out) {{\n  \
         size_t i = get_global_id(0);\n{body}}}\n"
    );
    TestKernel {
        name: name.to_owned(),
        elem,
        calls,
        slots,
        text,
    }
}

fn statement(elem: Elem, call: &Call, index: usize, length: u32, slots: &mut Vec<Slot>) -> String {
    let suffix = if length == 1 {
        String::new()
    } else {
        length.to_string()
    };
    let text = call.text.replace("$N", &suffix);
    let own = elem.vector(length);
    let int = format!("int{suffix}");
    let load = |buffer: &str| match length {
        1 => format!("{buffer}[i]"),
        n => format!("vload{n}(i, {buffer})"),
    };
    let bits = |kind: Kind| of(kind, elem.size).vector(length);
    let mut lines = vec![format!("if (i < {}) {{", ELEMENTS / length as usize)];
    let declare = [
        ('a', format!("{own} a = {};", load("x"))),
        ('b', format!("{own} b = {};", load("y"))),
        ('c', format!("{own} c = {};", load("w"))),
        (
            'u',
            format!("{0} u = as_{0}({1});", bits(Kind::Unsigned), load("y")),
        ),
        (
            'z',
            format!("{0} z = as_{0}({1});", bits(Kind::Signed), load("w")),
        ),
        ('n', format!("{int} n = {};", load("m"))),
        ('s', format!("{} s = y[0];", elem.name)),
        ('t', format!("{} t = w[0];", elem.name)),
        ('k', "int k = m[0];".to_owned()),
        ('p', format!("{own} p;")),
        ('q', format!("{int} q;")),
    ];
    lines.extend(
        declare
            .into_iter()
            .filter(|(v, _)| uses(&text, *v))
            .map(|(_, d)| d),
    );
    let mut store = |(of, count): (Elem, u32), value: &str, second: bool| {
        let to = format!("(__global {} *)(out + {})", of.name, slots.len() * SLOT);
        slots.push(Slot {
            call: index,
            length,
            stored: (of, count),
            second,
        });
        match count {
            1 => format!("({to})[i] = {value};"),
            n => format!("vstore{n}({value}, i, {to});"),
        }
    };
    let result = stored(call.result, elem, length);
    lines.push(format!("{} r = {text};", result.0.vector(result.1)));
    lines.push(store(result, "r", false));
    if uses(&text, 'p') {
        lines.push(store((elem, length), "p", true));
    }
    if uses(&text, 'q') {
        lines.push(store((of(Kind::Signed, 4), length), "q", true));
    }
    lines.push("}".to_owned());
    format!("  {}\n", lines.join(" "))
}

/// The three arguments of a type, and the integers, as bytes.
pub fn arguments(elem: Elem, seed: u64) -> [Vec<u8>; 4] {
    let special = special(elem);
    let mut stream = SplitMix64::new(seed);
    let mut random = || stream.bits();
    let mut value = |special_too: bool| -> u64 {
        let bits = random();
        let unit = (bits >> 11) as f64 * 2f64.powi(-53);
        match (elem.kind, bits % 8) {
            (_, 0..=2) if special_too => special[random() as usize % special.len()],
            (Kind::Float, 3) if special_too => random(),
            (Kind::Float, 0 | 4) => elem.nearest(2.0 * unit - 1.0),
            (Kind::Float, 1 | 5) => elem.nearest(20.0 * unit - 10.0),
            (Kind::Float, _) => elem.nearest(300.0 * unit - 150.0),
            (_, 3) => bits % 11,
            _ => random(),
        }
    };
    let mut buffers = [const { Vec::new() }; 4];
    for buffer in buffers.iter_mut().take(3) {
        for n in 0..ELEMENTS {
            // The first element is the scalar argument of all calls.
            let bits = value(n > 0);
            buffer.extend_from_slice(&bits.to_le_bytes()[..elem.size]);
        }
    }
    for n in 0..ELEMENTS {
        let bits = random();
        let whole = match bits % 16 {
            _ if n == 0 => 3,
            0 => [i32::MIN, i32::MAX, 1 << 20, -(1 << 20)][(bits >> 8) as usize % 4],
            1..=4 => (bits >> 8) as i32 % 1100,
            _ => (bits >> 8) as i32 % 13,
        };
        buffers[3].extend_from_slice(&whole.to_le_bytes());
    }
    buffers
}

/// Values where results change.
fn special(elem: Elem) -> Vec<u64> {
    let width = 8 * elem.size as u32;
    let mask = u64::MAX >> (64 - width);
    if elem.kind != Kind::Float {
        let top = 1u64 << (width - 1);
        let mut values = vec![
            0,
            1,
            2,
            3,
            mask,
            mask - 1,
            top,
            top - 1,
            top + 1,
            top >> 1,
            0x55,
        ];
        values.extend((1..width).map(|n| 1 << n));
        return values.into_iter().map(|v| v & mask).collect();
    }
    let sign = 1u64 << (width - 1);
    let infinity = elem.nearest(f64::INFINITY);
    let one = elem.nearest(1.0);
    let normal = infinity & infinity.wrapping_neg();
    let mut values = vec![0, 1, normal - 1, normal, normal + 1, infinity - 1, infinity];
    values.extend([one - 1, one, one + 1]);
    let near = [
        0.25, 0.5, 0.75, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 10.0, 100.0, 127.5, 128.0, 255.0, 255.5,
        1000.5,
    ];
    values.extend(near.map(|v| elem.nearest(v)));
    let far = [
        32767.5,
        65504.0,
        2147483520.0,
        2147483647.5,
        4294967040.0,
        9.2e18,
        1.8e19,
        1e30,
    ];
    values.extend(far.map(|v| elem.nearest(v)));
    let negative: Vec<u64> = values.iter().map(|v| v | sign).collect();
    values.extend(negative);
    values.push(elem.nearest(f64::NAN));
    values
}
