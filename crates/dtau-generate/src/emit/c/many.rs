//! Any number of states: as many side by side as go, the rest one by one.

use super::runtime::Side;
use super::{Style, argument_names, arguments};
use crate::emit::identifier;
use crate::module::Module;
use crate::program::Program;
use crate::record::Numbers;
use std::fmt::Write;

pub(super) fn write(
    module: &Module,
    program: &Program,
    prefix: &str,
    style: &Style,
    side: &Side,
    source: &mut String,
    header: &mut String,
) {
    let (name, real) = (format!("{prefix}_{}", identifier(&program.name)), style.precision.real());
    let (n, p) = (side.width, side.prefix);
    let typed = arguments(module, program, Some((real, "restrict")));
    let declaration = format!("int {name}_many(size_t states, {typed})");
    let _ = writeln!(header, "{};\n", declaration.replace("restrict", "DTAU_RESTRICT"));
    let _ = writeln!(source, "\n{declaration}\n{{\n    int status = 0;\n    size_t s = 0;");
    for array in program.inputs.iter().chain(&program.outputs) {
        let _ = writeln!(source, "    {real} side_{}[{}];", array.name, n * array.len().max(1));
    }
    let _ = writeln!(source, "    for (; s + {n} <= states; s += {n}) {{");
    for array in &program.inputs {
        let (len, x) = (array.len(), array.name);
        let _ = writeln!(source, "        {p}_pack({len}, {x} + s * {len}, side_{x});");
    }
    let table = usize::from(module.numbers == Numbers::Table);
    let sides = argument_names(module, program).enumerate();
    let sides = sides.map(|(k, name)| if k < table { name.into() } else { format!("side_{name}") });
    let _ = writeln!(source, "        status |= {name}_x{n}({});", sides.collect::<Vec<String>>().join(", "));
    for array in &program.outputs {
        let (len, y) = (array.len(), array.name);
        let _ = writeln!(source, "        {p}_unpack({len}, side_{y}, {y} + s * {len});");
    }
    source.push_str("    }\n    for (; s < states; s++) {\n");
    let arrays = program.inputs.iter().chain(&program.outputs);
    let ones = arrays.map(|array| format!("{} + s * {}", array.name, array.len()));
    let ones: Vec<String> = (table > 0).then_some("table".to_string()).into_iter().chain(ones).collect();
    let _ = writeln!(source, "        status |= {name}({});\n    }}\n    return status != 0;\n}}", ones.join(", "));
}
