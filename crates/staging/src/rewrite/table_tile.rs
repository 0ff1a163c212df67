//! Whole tables: small buffers that are indexed by data.
//!
//! ```text
//! before                            after
//!                                   // Stage table whole: table_len float elements
//!                                   for (uint t = lid; t < table_len; t += lsz)
//!                                       tile[t] = table[t];
//!                                   barrier(CLK_LOCAL_MEM_FENCE);
//!
//! out[i] = table[x[i]];             out[i] = tile[x[i]];
//! ```
//!
//! The kernel does not know how long the table is, so its length is a new
//! parameter, or a macro where the launch gives it as a number. All of it is read,
//! which is no more than is there.

use tilewise_frontend::source::ExprKind;

use crate::loads::Accesses;
use crate::refusal::{Code, Refusal};

use super::Written;
use super::edit::TextEdit;
use super::fill::steps;
use super::fixed_group::{define, fixed_group};
use super::names::Names;
use super::parameters::{Parameter, parameters};
use super::place::Place;
use super::writer::Writer;

/// A table to write.
pub struct TableTile {
    /// Numbers of its loads.
    pub loads: Vec<usize>,
    /// Name of the buffer.
    pub buffer: String,
    /// Type of an element.
    pub element: String,
    /// Name of the tile.
    pub tile: String,
    /// Its length, where the kernel is for this one only: it is a macro then, else a
    /// parameter.
    pub known: Option<u64>,
    /// Name of the parameter or macro with its length.
    pub length: String,
}

/// Writes a table into a kernel.
///
/// # Errors
/// A load that can't be edited.
pub fn write(accesses: &mut Accesses<'_>, table: &TableTile) -> Result<Written, Refusal> {
    let tree = accesses.bindings.tree;
    let mut names = Names::around(tree, accesses.function);
    names.fresh(&table.tile);
    names.fresh(&table.length);
    let place = Place::find(accesses, &table.loads)?;
    let mut edits = Vec::new();
    match table.known {
        // Macros stand above the attribute.
        Some(known) => edits.push(define(accesses, &table.length, known)?),
        None => {
            let new = [
                Parameter::Tile {
                    element: table.element.clone(),
                    name: table.tile.clone(),
                },
                Parameter::Length(table.length.clone()),
            ];
            edits.extend(parameters(accesses, &new)?);
        }
    }
    edits.extend(fixed_group(accesses)?);
    for &load in &table.loads {
        let expr = accesses.loads[load].expr;
        let base = match &expr.kind {
            ExprKind::Index { base, .. } => base.span.editable(),
            _ => None,
        };
        let range = base.ok_or_else(|| {
            Refusal::new(
                tree,
                expr.span,
                Code::Macro,
                format!("this load of {} can't be edited alone", table.buffer),
            )
            .of(&table.buffer)
        })?;
        edits.push(TextEdit::replace(range, table.tile.clone()));
    }
    let mut writer = Writer::new(accesses, names, place.offset, &place.unit, "int");
    let t = writer.names.fresh("t");
    let (first, step) = steps(&mut writer, 1, place.offset).swap_remove(0);
    if table.known.is_some() {
        writer.arrays.push(format!(
            "__local {} {}[{}];",
            table.element, table.tile, table.length
        ));
    }
    let mut lines = writer.take_declarations();
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.extend([
        format!(
            "// Stage {} whole: {} {} elements",
            table.buffer, table.length, table.element
        ),
        // Unsigned: with a stride that may be negative NVIDIA's compiler makes a
        // loop of it that costs `lut` a fifth of its speed on an H200.
        format!(
            "for (uint {t} = {first}; {t} < {}; {t} += {step})",
            table.length
        ),
        format!("{}{}[{t}] = {}[{t}];", place.unit, table.tile, table.buffer),
        "barrier(CLK_LOCAL_MEM_FENCE);".to_owned(),
    ]);
    edits.push(place.insertion(&tree.text, place.block(&lines)));
    Ok(Written {
        edits,
        used: writer.used,
        rooms: Vec::new(),
    })
}
