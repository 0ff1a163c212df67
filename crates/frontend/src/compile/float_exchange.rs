//! Compare-exchange of floating-point atomics as one of integers.
//!
//! The translator asserts that the operands of a compare-exchange are integers,
//! as SPIR-V demands, and aborts on `atomic_compare_exchange_strong` of an
//! `atomic_float`. OpenCL C compares the contents bit for bit (section 6.15.12.7.4),
//! so that the operation on the bits is the same. Each such function that a
//! module in LLVM's text form declares gets a body which calls that of the
//! integer of the same width.

/// The module with such functions defined; `None` where it declares none.
pub fn as_integers(text: &str) -> Option<String> {
    let mut out = text.to_owned();
    let mut any = false;
    for line in text.lines() {
        let Some(function) = Function::declared_by(line) else {
            continue;
        };
        any = true;
        // The translator takes every name that begins as a builtin's for one.
        let own = format!("of_bits.{}", function.name);
        out = out.replace(line, "");
        out = out.replace(&format!("@{}(", function.name), &format!("@{own}("));
        let integer = function.integer_name();
        if !out.lines().any(|l| is_declaration(l, &integer)) {
            out.push_str(&function.integer_declaration(&integer));
        }
        out.push_str(&function.definition(&own, &integer));
    }
    any.then_some(out)
}

fn is_declaration(line: &str, name: &str) -> bool {
    line.starts_with("declare ") && line.contains(&format!("@{name}("))
}

/// A compare-exchange of floating-point numbers.
struct Function<'t> {
    name: &'t str,
    /// `float` or `double`.
    float: &'static str,
    /// The integer type of the same width.
    int: &'static str,
    /// Types of the parameters.
    params: Vec<&'t str>,
    /// The number of the attributes that calls have, with its `#`.
    attributes: &'t str,
}

impl<'t> Function<'t> {
    fn declared_by(line: &'t str) -> Option<Self> {
        let rest = line.strip_prefix("declare ")?;
        let (_, rest) = rest.split_once('@')?;
        let (name, rest) = rest.split_once('(')?;
        let (params, rest) = rest.rsplit_once(')')?;
        if !name.contains("atomic_compare_exchange_") {
            return None;
        }
        let (float, int) = if name.contains("U7_Atomicf") {
            ("float", "i32")
        } else if name.contains("U7_Atomicd") {
            ("double", "i64")
        } else {
            return None;
        };
        let params = params
            .split(',')
            .map(|p| p.trim().trim_end_matches(" noundef"))
            .collect();
        Some(Self {
            name,
            float,
            int,
            params,
            attributes: rest.split(['!', ';']).next().unwrap_or("").trim(),
        })
    }

    /// The mangled name for the integer: the types stand behind `_Atomic` and
    /// behind the last pointer, twice.
    fn integer_name(&self) -> String {
        let (from, to) = match self.float {
            "float" => ('f', "i"),
            _ => ('d', "l"),
        };
        let Some(at) = self.name.find("U7_Atomic") else {
            return self.name.to_owned();
        };
        let (function, types) = self.name.split_at(at + "U7_Atomic".len());
        let mut replaced = String::new();
        // The atomic's type, the expected value's, the desired value's; what
        // follows are names of enumerations.
        let mut left = 3;
        for c in types.chars() {
            if c == from && left > 0 {
                left -= 1;
                replaced.push_str(to);
            } else {
                replaced.push(c);
            }
        }
        format!("{function}{replaced}")
    }

    fn integer_params(&self) -> Vec<String> {
        self.params
            .iter()
            .map(|p| p.replace(self.float, self.int))
            .collect()
    }

    fn integer_declaration(&self, name: &str) -> String {
        format!(
            "\ndeclare spir_func zeroext i1 @{name}({}) {}\n",
            self.integer_params().join(", "),
            self.attributes
        )
    }

    fn definition(&self, own: &str, integer: &str) -> String {
        let mut body = String::new();
        let mut params = Vec::new();
        let mut args = Vec::new();
        for (i, (param, int)) in self.params.iter().zip(self.integer_params()).enumerate() {
            params.push(format!("{param} %a{i}"));
            if *param == int {
                args.push(format!("{int} %a{i}"));
            } else {
                body.push_str(&format!("  %b{i} = bitcast {param} %a{i} to {int}\n"));
                args.push(format!("{int} %b{i}"));
            }
        }
        format!(
            "\ndefine spir_func zeroext i1 @{own}({}) alwaysinline {{\n{body}  %r = call spir_func zeroext i1 @{integer}({})\n  ret i1 %r\n}}\n",
            params.join(", "),
            args.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_is_exchanged_as_its_bits() {
        let text = "  %1 = call spir_func zeroext i1 @_Z30atomic_compare_exchange_strongPU3AS4VU7_AtomicfPU3AS4ff(float addrspace(4)* %p)\n\
            declare dso_local spir_func zeroext i1 @_Z30atomic_compare_exchange_strongPU3AS4VU7_AtomicfPU3AS4ff(float addrspace(4)* noundef, float addrspace(4)* noundef, float noundef) #2\n";
        let new = as_integers(text).expect("one is declared");
        let integer = "@_Z30atomic_compare_exchange_strongPU3AS4VU7_AtomiciPU3AS4ii(";
        assert!(new.contains(&format!(
            "declare spir_func zeroext i1 {integer}i32 addrspace(4)*, i32 addrspace(4)*, i32) #2"
        )), "{new}");
        assert!(new.contains("@of_bits._Z30atomic_compare_exchange_strongPU3AS4VU7_AtomicfPU3AS4ff(float addrspace(4)* %p)"), "{new}");
        assert!(new.contains("%b2 = bitcast float %a2 to i32"), "{new}");
        assert_eq!(
            as_integers(
                "declare i1 @_Z30atomic_compare_exchange_strongPU3AS4VU7_AtomiciPU3AS4ii(i32)"
            ),
            None
        );
    }
}
