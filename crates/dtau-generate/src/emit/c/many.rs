//! Several states side by side if the CPU has such registers, otherwise one by one. And any number of states.

use super::runtime::{IF_SIDE_BY_SIDE, Side};
use super::{Writer, argument_names, arguments};
use crate::program::Array;
use crate::record::Numbers;
use std::fmt::Write;

/// Writes `f_x4` or `f_x8`, and `f_many`.
pub(super) fn write(one: &Writer<'_>, side: &'static Side, source: &mut String, header: &mut String) {
    let several = Writer::new(one.module, one.whole, one.prefix_of_module, one.style, Some(side));
    let _ = write!(source, "\n{IF_SIDE_BY_SIDE}");
    several.function(source, header);
    source.push_str("#else\n");
    one_by_one(one, &several.name, side.width, source);
    source.push_str("#endif\n");
    many(one, &several, side, source, header);
}

/// Returns the arguments of a call of `f`: the table, and the arrays named by `of`.
fn call(one: &Writer<'_>, of: impl Fn(&str) -> String) -> String {
    let table = usize::from(one.module.numbers == Numbers::Table);
    let names = argument_names(one.module, one.program).enumerate();
    names.map(|(k, name)| if k < table { name.into() } else { of(name) }).collect::<Vec<String>>().join(", ")
}

fn typed(one: &Writer<'_>) -> String {
    arguments(one.module, one.program, Some((one.real(), "restrict")))
}

/// Writes states stored lane by lane, computed one by one.
fn one_by_one(one: &Writer<'_>, name: &str, n: usize, source: &mut String) {
    let program = one.program;
    let _ = writeln!(source, "int {name}({})\n{{\n    int status = 0;", typed(one));
    let _ = writeln!(source, "    for (int s = 0; s < {n}; s++) {{");
    for array in program.inputs.iter().chain(&program.outputs) {
        let _ = writeln!(source, "        real one_{}[{}];", array.name, array.len().max(1));
    }
    for array in &program.inputs {
        let (len, x) = (array.len(), array.name);
        let _ = writeln!(source, "        for (int k = 0; k < {len}; k++) one_{x}[k] = {x}[{n} * k + s];");
    }
    let ones = call(one, |name| format!("one_{name}"));
    let _ = writeln!(source, "        status |= {}({ones}) << s;", one.name);
    for array in &program.outputs {
        let (len, y) = (array.len(), array.name);
        let _ = writeln!(source, "        for (int k = 0; k < {len}; k++) {y}[{n} * k + s] = one_{y}[k];");
    }
    source.push_str("    }\n    return status;\n}\n");
}

/// Writes the function for any number of states: as many side by side as possible, the rest one by one.
fn many(one: &Writer<'_>, several: &Writer<'_>, side: &Side, source: &mut String, header: &mut String) {
    let (program, name, real) = (several.program, &one.name, one.real());
    let (n, p) = (side.width, side.prefix);
    let len = |name: &str| {
        let array = program.inputs.iter().chain(&program.outputs).find(|array| array.name == name);
        array.map_or(0, |array| array.len())
    };
    let declaration = format!("int {name}_many(size_t states, {})", typed(one));
    let _ = writeln!(header, "{};\n", declaration.replace("restrict", "DTAU_RESTRICT"));
    let _ =
        writeln!(source, "\n{declaration}\n{{\n    int status = 0;\n    size_t s = 0;\n{}", IF_SIDE_BY_SIDE.trim_end());
    // If the matrices of several states do not fit the L1 cache, they are multiplied one state at a time.
    // Kernels also run one state at a time, with rows side by side.
    let kernels = !program.kernels.is_empty();
    let apart = kernels || program.products.iter().any(|product| n * 8 * product.rows.len().pow(2) > 32 << 10);
    let stored =
        (program.outputs.iter().enumerate()).filter(|(output, _)| program.is_stored(*output)).map(|(_, array)| array);
    for array in program.inputs.iter().chain(stored.clone()).chain(&program.scratch) {
        let _ = writeln!(source, "    DTAU_ALIGNED {real} side_{}[{}];", array.name, n * array.len().max(1));
    }
    // Kernels that solve column by column take several states directly.
    let solves = several.solves();
    for array in program.scratch.iter().filter(|_| !solves) {
        let _ = writeln!(source, "    {real} each_{}[{}];", array.name, n * array.len());
    }
    // Kernels write in scattered order. They write into cached memory, and the result is then copied in one pass.
    let near: Vec<&Array> = (program.outputs.iter().enumerate())
        .filter(|(output, _)| !solves && !program.is_stored(*output))
        .map(|(_, array)| array)
        .collect();
    for array in &near {
        let _ = writeln!(source, "    {real} near_{}[{}];", array.name, array.len());
    }
    let _ = writeln!(source, "    for (; s + {n} <= states; s += {n}) {{");
    for array in &program.inputs {
        let (len, x) = (array.len(), array.name);
        let _ = writeln!(source, "        {p}_pack({len}, {x} + s * {len}, side_{x});");
    }
    let _ = match apart {
        true => {
            let sides = several.arguments_of_factors(false, |name| format!("side_{name}"));
            writeln!(source, "        status |= {}({sides});", several.name_of_factors())
        }
        false => {
            let sides = call(one, |name| format!("side_{name}"));
            writeln!(source, "        status |= {name}_x{n}({sides});")
        }
    };
    for array in stored {
        let (len, y) = (array.len(), array.name);
        let _ = writeln!(source, "        {p}_unpack({len}, side_{y}, {y} + s * {len});");
    }
    for array in program.scratch.iter().filter(|_| !solves) {
        let (len, y) = (array.len(), array.name);
        let _ = writeln!(source, "        {p}_unpack({len}, side_{y}, each_{y});");
    }
    if solves {
        let of = |name: &str| match program.scratch.iter().any(|array| array.name == name) {
            true => format!("side_{name}"),
            false => format!("{name} + s * {}", len(name)),
        };
        several.loops(&several.name, "        ", of, source);
    } else if apart {
        let _ = writeln!(source, "        for (size_t i = 0; i < {n}; i++) {{");
        let of = |name: &str| match program.scratch.iter().find(|array| array.name == name) {
            Some(array) => format!("each_{name} + i * {}", array.len()),
            None if near.iter().any(|array| array.name == name) => format!("near_{name}"),
            None => format!("{name} + (s + i) * {}", len(name)),
        };
        one.loops(name, "            ", of, source);
        for Array { name: y, .. } in &near {
            let _ = writeln!(source, "            memcpy({y} + (s + i) * {}, near_{y}, sizeof near_{y});", len(y));
        }
        source.push_str("        }\n");
    }
    source.push_str("    }\n#endif\n    for (; s < states; s++) {\n");
    let ones = call(one, |name| format!("{name} + s * {}", len(name)));
    let _ = writeln!(source, "        status |= {name}({ones});\n    }}\n    return status != 0;\n}}");
}
