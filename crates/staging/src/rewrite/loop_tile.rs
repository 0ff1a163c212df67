//! Loop tiles: matrix products, all pairs, anything whose box grows with a loop.
//!
//! ```text
//! before                               after
//! if (row >= M || col >= N)            bool active = row < M && col < N;
//!     return;
//! float sum = 0.0f;                    float sum = 0.0f;
//! for (int k = 0; k < K; ++k)          for (int k0 = 0; k0 < K; k0 += lsx) {
//!     sum += A[row * K + k] * …;           int count = min(lsx, K - k0);
//!
//!                                          … fill the tiles with k0 to k0 + count - 1 …
//!                                          barrier(CLK_LOCAL_MEM_FENCE);
//!
//!                                          if (active)
//!                                              for (int k = 0; k < count; ++k)
//!                                                  sum += A_tile[ly * lsx + k] * …;
//!                                          barrier(CLK_LOCAL_MEM_FENCE);
//!                                      }
//! C[row * N + col] = sum;              if (active)
//!                                          C[row * N + col] = sum;
//! ```
//!
//! The loop is cut into chunks of the group's first extent; within one it counts
//! from 0 (`k0 + k` is what `k` was), so that its length is plain to the compiler.
//! Its barriers stand where all work-items come by: early returns, and an `if`
//! around the loop, become a variable that the statements behind them ask.
//! Iterations keep their order, so that sums are the same to the last bit.
//!
//! What it misses: loops inside other loops or inside an `if` with an `else`.

use std::collections::BTreeMap;
use std::ops::Range;

use tilewise_frontend::source::{
    BinaryOp, DeclId, Expr, ExprKind, SourceTree, Stmt, StmtKind, Variable,
};

use crate::loads::Accesses;
use crate::plan::{Chunk, Family};
use crate::refusal::{Code, Refusal};
use crate::symbolic::{Atom, AtomId, Loop, LoopId, Poly};

use super::Written;
use super::conditions::{is_early_return, may_return, negated, text_of};
use super::edit::{TextEdit, line_start};
use super::fill::{fill, is_int};
use super::fixed_group::{define, defines, fixed_group};
use super::names::Names;
use super::parameters::parameters;
use super::place::Place;
use super::reads::reads;
use super::tile::{BoxTile, loads_of, room, shape};
use super::writer::{Writer, word_for};

/// Chunks of more iterations are not unrolled whole.
const MOST_UNROLLED: i128 = 32;

/// Where the loop stands.
struct Context<'t> {
    tree: &'t SourceTree,
    /// The kernel's statements.
    top: &'t [Stmt],
    /// Which of them is the loop, or the `if` around it.
    at: usize,
    /// The `if` around it: its condition, its statements, and which is the loop.
    inside: Option<(&'t Expr, &'t [Stmt], usize)>,
    /// The loop.
    stmt: &'t Stmt,
    /// Early returns in front of it.
    returns: Vec<usize>,
}

/// Writes tiles that hold a chunk of a loop.
///
/// # Errors
/// The loop stands where no barrier can.
pub fn write(
    accesses: &mut Accesses<'_>,
    tiles: &[BoxTile<'_>],
    chunk: &Chunk,
    start: &str,
) -> Result<Written, Refusal> {
    let found = accesses.bindings.loops[chunk.id.0 as usize].clone();
    let context = Context::find(accesses, &found)?;
    let tree = context.tree;
    let text = tree.text.as_str();
    let mut names = Names::around(tree, accesses.function);
    names.fresh(start);
    for tile in tiles {
        names.fresh(&tile.tile);
    }
    let guarded = !context.returns.is_empty() || context.inside.is_some();
    let active = if guarded {
        names.fresh("active")
    } else {
        String::new()
    };
    let head = Place::find(accesses, &loads_of(tiles))?;
    let within = Within::new(accesses, &found, chunk, start, context.stmt, &mut names);
    let mut edits = Vec::new();
    let mut new = Vec::new();
    let word = word_for(accesses, tiles.iter().map(|t| t.family));
    let mut writer = Writer::new(accesses, names, head.offset, &head.unit, word);

    let mut lines = Lines::new(text, &head.unit);
    let (loop_start, loop_end) = (context.stmt.span.begin, end_of(text, context.stmt));
    let (first, outer) = line_start(text, loop_start);
    let behind = text[loop_end..].lines().next().unwrap_or_default().trim();
    let comment = behind.starts_with("//") || behind.starts_with("/*");
    if first + outer.len() != loop_start || !(behind.is_empty() || comment) {
        return Err(Refusal::new(
            tree,
            context.stmt.span,
            Code::Barrier,
            "this loop shares its line with other code, so it can't be cut into chunks",
        )
        .helped("put it on lines of its own"));
    }
    let outer = match context.inside {
        Some(_) => outer.strip_suffix(head.unit.as_str()).unwrap_or(outer),
        None => outer,
    };
    let place = Place {
        offset: loop_start,
        line: line_start(text, loop_start).0,
        breaks: false,
        behind_declaration: false,
        indent: format!("{outer}{}", head.unit),
        unit: head.unit.clone(),
    };

    let count = chunk_count(&mut writer, &found, chunk, start, loop_start);
    writer.declared.insert(count.clone(), within.count.clone());
    let mut fills = Vec::new();
    let mut rooms = Vec::new();
    for tile in tiles {
        let shape = shape(&mut writer, tile, tiles.len() == 1, head.offset);
        if !fills.is_empty() {
            fills.push(String::new());
        }
        fills.extend(fill(&mut writer, tile, &shape, place.offset));
        let family = within.family(tile.family);
        let read = BoxTile {
            family: &family,
            domain: tile.domain,
            buffer: tile.buffer.clone(),
            element: tile.element.clone(),
            tile: tile.tile.clone(),
        };
        edits.extend(reads(&mut writer, &read, &shape)?);
        let memory = tile.memory(&mut writer, &shape);
        rooms.push((room(tile.family, &shape.extents), memory.is_none()));
        new.extend(memory);
    }
    let loads = edits.clone();
    // Ids and pitches, where the kernel's first declarations are: in front of all else.
    let declarations = writer.take_declarations();
    let first_edit = edits.len();

    // The loop over chunks, with the fills.
    let texts = loop_texts(&mut writer, &found, chunk, start, &context, &within, &loads)?;
    let declaration = format!(
        "{} {} = {count}; // the last chunk may be short",
        counter_type(&found),
        within.count
    );
    let mut opening = vec![declaration, String::new()];
    opening.append(&mut fills);
    let mut block = match texts.before {
        Some(before) => format!("{outer}{before}\n"),
        None => String::new(),
    };
    block.push_str(&format!(
        "{outer}{} {{\n{}",
        texts.header,
        place.block(&opening)
    ));
    block.push_str(&format!(
        "{}barrier(CLK_LOCAL_MEM_FENCE);\n\n",
        place.indent
    ));
    // A pragma in front of the loop is best within braces.
    let braces = guarded && texts.unroll.is_some();
    if guarded {
        let open = if braces { " {" } else { "" };
        block.push_str(&format!("{}if ({active}){open}\n", place.indent));
    }
    if let Some(unroll) = texts.unroll {
        let deeper = if guarded { head.unit.as_str() } else { "" };
        block.push_str(&format!(
            "{}{deeper}#pragma unroll {unroll}\n",
            place.indent
        ));
    }
    edits.push(TextEdit::insert(place.line, block));
    edits.extend(texts.edits);
    let behind = text[loop_end..]
        .find('\n')
        .map_or(text.len(), |i| loop_end + i + 1);
    let close = match braces {
        true => format!("{}}}\n", place.indent),
        false => String::new(),
    };
    edits.push(TextEdit::insert(
        behind,
        format!(
            "{close}{0}barrier(CLK_LOCAL_MEM_FENCE);\n{outer}}}\n",
            place.indent
        ),
    ));
    let deeper = if guarded { 2 } else { 1 };
    lines.shift(loop_start, loop_end, deeper);

    if guarded {
        edits.extend(context.guards(&mut writer, &active, &mut lines, head.offset)?);
    }
    edits.extend(lines.edits(&edits));
    let declarations = Writer::declared_for(declarations, &mut edits);
    if !declarations.is_empty() {
        let declared = head.insertion(text, head.block(&declarations));
        edits.insert(first_edit, declared);
    }
    let used = writer.used;
    edits.extend(parameters(accesses, &new)?);
    // Macros stand above the attribute.
    edits.extend(chunk_macro(accesses, chunk)?);
    edits.extend(fixed_group(accesses)?);
    Ok(Written { edits, used, rooms })
}

impl<'t> Context<'t> {
    fn find(accesses: &Accesses<'t>, found: &Loop) -> Result<Self, Refusal> {
        let tree = accesses.bindings.tree;
        let refuse = |stmt: &Stmt, why: &str| {
            Refusal::new(
                tree,
                stmt.span,
                Code::Barrier,
                format!("the loop over {} can't have barriers: {why}", found.name),
            )
        };
        let body = &accesses.function.body;
        let StmtKind::Block(top) = &body.kind else {
            return Err(refuse(body, "the kernel has no body"));
        };
        let (first, last) = found.extent;
        let is_loop = |s: &Stmt| s.span.begin == first && s.span.end == last;
        let holds = |s: &Stmt| s.span.begin <= first && last <= s.span.end;
        let at = top
            .iter()
            .position(holds)
            .ok_or_else(|| refuse(body, "it was not found"))?;
        let (stmt, inside) = if is_loop(&top[at]) {
            (&top[at], None)
        } else {
            match &top[at].kind {
                StmtKind::If {
                    condition,
                    then,
                    otherwise: None,
                } => match &then.kind {
                    StmtKind::Block(list) => {
                        let inner = list.iter().position(is_loop).ok_or_else(|| {
                            refuse(&top[at], "it stands inside another loop or branch")
                        })?;
                        (&list[inner], Some((condition, &list[..], inner)))
                    }
                    _ => return Err(refuse(&top[at], "it stands inside another loop or branch")),
                },
                _ => return Err(refuse(&top[at], "it stands inside another loop or branch")),
            }
        };
        let mut returns = Vec::new();
        for (i, stmt) in top.iter().enumerate() {
            if i != at && is_early_return(stmt) {
                if i > at {
                    continue;
                }
                returns.push(i);
            } else if i < at && may_return(stmt) {
                return Err(refuse(
                    stmt,
                    "work-items may return here before they reach it",
                ));
            }
        }
        if let Some((_, list, inner)) = inside
            && list[..inner].iter().any(may_return)
        {
            return Err(refuse(
                &list[0],
                "work-items may return here before they reach it",
            ));
        }
        Ok(Self {
            tree,
            top,
            at,
            inside,
            stmt,
            returns,
        })
    }

    /// Early returns and the `if` around the loop as a variable, and what asks it.
    fn guards(
        &self,
        writer: &mut Writer<'_, 't>,
        active: &str,
        lines: &mut Lines<'_>,
        place: usize,
    ) -> Result<Vec<TextEdit>, Refusal> {
        let text = self.tree.text.as_str();
        let mut edits = Vec::new();
        let mut declared = false;
        for &i in &self.returns {
            let StmtKind::If { condition, .. } = &self.top[i].kind else {
                continue;
            };
            let stays = negated(writer, condition, place)?;
            let new = if declared {
                format!("{active} = {active} && {stays};")
            } else {
                format!("bool {active} = {stays};")
            };
            declared = true;
            let range = self.top[i].span.begin..end_of(text, &self.top[i]);
            edits.push(TextEdit::replace(range, new));
        }
        let first = self.returns.first().map_or(self.at, |i| i + 1);
        for (i, stmt) in self.top.iter().enumerate().skip(first) {
            if i == self.at || self.returns.contains(&i) {
                continue;
            }
            // Without an early return, what follows the `if` is for all.
            if self.returns.is_empty() {
                continue;
            }
            edits.extend(self.asked(stmt, active, lines)?);
        }
        if let Some((condition, list, inner)) = self.inside {
            let around = &self.top[self.at];
            let shown = text_of(self.tree, condition)?;
            let new = if declared {
                let shown = if is_simple(condition) {
                    shown.to_owned()
                } else {
                    format!("({shown})")
                };
                format!("{active} = {active} && {shown};")
            } else {
                format!("bool {active} = {shown};")
            };
            // `if (…) {` goes, and the brace that closes it.
            let open = list.first().map_or(around.span.end, |s| s.span.begin);
            let open = line_start(text, open).0;
            let header = text[around.span.begin..open].trim_end();
            if !header.ends_with('{') {
                return Err(Refusal::new(
                    self.tree,
                    around.span,
                    Code::Barrier,
                    "the brace behind this `if` shares its line with a statement",
                ));
            }
            edits.push(TextEdit::replace(
                around.span.begin..around.span.begin + header.len(),
                new,
            ));
            let close = around.span.end - 1;
            let (close_line, indent) = line_start(text, close);
            if close_line + indent.len() != close {
                return Err(Refusal::new(
                    self.tree,
                    around.span,
                    Code::Barrier,
                    "the closing brace of this `if` shares its line with a statement",
                ));
            }
            let close_end = text[close..]
                .find('\n')
                .map_or(text.len(), |i| close + i + 1);
            edits.push(TextEdit::replace(close_line..close_end, ""));
            lines.shift(open, close_line.saturating_sub(1), -1);
            self.names_are_free(writer.accesses, list)?;
            for (i, stmt) in list.iter().enumerate() {
                if i != inner {
                    edits.extend(self.asked(stmt, active, lines)?);
                }
            }
        }
        Ok(edits)
    }

    /// A statement that only active work-items may run.
    fn asked(
        &self,
        stmt: &Stmt,
        active: &str,
        lines: &mut Lines<'_>,
    ) -> Result<Vec<TextEdit>, Refusal> {
        let text = self.tree.text.as_str();
        match &stmt.kind {
            StmtKind::Declare(variables) => {
                let mut edits = Vec::new();
                for variable in variables {
                    edits.extend(self.asked_init(variable, active)?);
                }
                Ok(edits)
            }
            StmtKind::Empty | StmtKind::Return(None) => Ok(Vec::new()),
            _ => {
                let (start, indent) = line_start(text, stmt.span.begin);
                if start + indent.len() != stmt.span.begin {
                    return Err(Refusal::new(
                        self.tree,
                        stmt.span,
                        Code::Barrier,
                        "this statement shares its line with another, so it can't be guarded",
                    ));
                }
                let shown = lines.shifted(start, indent);
                lines.shift(stmt.span.begin, end_of(text, stmt), 1);
                Ok(vec![TextEdit::insert(
                    start,
                    format!("{shown}if ({active})\n"),
                )])
            }
        }
    }

    fn asked_init(&self, variable: &Variable, active: &str) -> Result<Vec<TextEdit>, Refusal> {
        let Some(init) = variable.init.as_ref().filter(|e| needs_guard(e)) else {
            return Ok(Vec::new());
        };
        let spelled = variable.ty.spelled.clone().unwrap_or_default();
        let plain = spelled.pointers.is_empty()
            && spelled.lengths.is_empty()
            && !spelled.base.starts_with("struct");
        let vector = spelled.base.ends_with(|c: char| c.is_ascii_digit());
        let range = init.span.editable().filter(|_| plain).ok_or_else(|| {
            Refusal::new(
                self.tree,
                variable.span,
                Code::Barrier,
                format!(
                    "{} would be read by work-items beyond the range",
                    variable.name
                ),
            )
        })?;
        let zero = if vector {
            format!("({})(0)", spelled.base)
        } else {
            "0".to_owned()
        };
        let mut shown = format!(" : {zero}");
        let mut open = format!("{active} ? ");
        if matches!(init.plain().kind, ExprKind::Conditional { .. }) {
            open.push('(');
            shown.insert(0, ')');
        }
        Ok(vec![
            TextEdit::insert(range.start, open),
            TextEdit::insert(range.end, shown),
        ])
    }

    /// Names declared inside the `if` must be free outside of it.
    fn names_are_free(&self, accesses: &Accesses<'_>, list: &[Stmt]) -> Result<(), Refusal> {
        for stmt in list {
            let StmtKind::Declare(variables) = &stmt.kind else {
                continue;
            };
            for variable in variables {
                let same = accesses
                    .variables
                    .iter()
                    .filter(|v| v.name == variable.name && v.id != variable.id)
                    .any(|v| {
                        v.until > stmt.span.begin && v.until >= accesses.function.body.span.end
                    });
                if same {
                    return Err(Refusal::new(
                        self.tree,
                        variable.span,
                        Code::Barrier,
                        format!("{} hides another variable of that name", variable.name),
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The loop within a chunk.
struct Within {
    /// The number of iterations of a chunk: a name.
    count: String,
    /// It counts from 0: what the loop's variable was, and what it is now. Else it
    /// keeps its values.
    from_zero: Option<(AtomId, Poly)>,
}

impl Within {
    /// The variable counts from 0 where each of its uses can be edited, and none is
    /// behind the loop.
    fn new(
        accesses: &mut Accesses<'_>,
        found: &Loop,
        chunk: &Chunk,
        start: &str,
        stmt: &Stmt,
        names: &mut Names,
    ) -> Self {
        let count = names.fresh("count");
        let StmtKind::For {
            init: Some(init),
            body,
            ..
        } = &stmt.kind
        else {
            return Self {
                count,
                from_zero: None,
            };
        };
        let declared = matches!(init.kind, StmtKind::Declare(_));
        let editable = uses(body, found.variable)
            .iter()
            .all(|e| e.span.editable().is_some());
        let ends_here =
            declared || uses_behind(&accesses.function.body, found.variable, stmt).is_empty();
        if !editable || !ends_here {
            return Self {
                count,
                from_zero: None,
            };
        }
        let bindings = &mut accesses.bindings;
        let of = |id, natural| Atom::Loop {
            id,
            name: found.name.clone(),
            natural,
        };
        let atom = bindings.atoms.intern(of(chunk.id, false));
        let id = LoopId(bindings.loops.len() as u32);
        bindings.loops.push(Loop {
            lower: Poly::default(),
            ..found.clone()
        });
        let inner = Poly::atom(bindings.atoms.intern(of(id, true)));
        let first = bindings.atoms.intern(Atom::Named(start.to_owned()));
        Self {
            count,
            from_zero: Some((atom, Poly::atom(first).add(&inner))),
        }
    }

    /// A family whose loads stand within the chunk.
    fn family(&self, family: &Family) -> Family {
        let mut family = family.clone();
        let Some((atom, by)) = &self.from_zero else {
            return family;
        };
        for value in family.values.iter_mut().flatten() {
            if let Some(shifted) = value.substitute(*atom, by) {
                *value = shifted;
            }
        }
        family
    }
}

/// Uses of a variable in a statement.
fn uses(stmt: &Stmt, variable: DeclId) -> Vec<&Expr> {
    let mut found: Vec<&Expr> = stmt
        .expressions()
        .into_iter()
        .flat_map(|e| uses_in(e, variable))
        .collect();
    for child in stmt.children() {
        found.extend(uses(child, variable));
    }
    found
}

/// Uses of a variable in an expression.
fn uses_in(expr: &Expr, variable: DeclId) -> Vec<&Expr> {
    let mut found = Vec::new();
    if matches!(expr.kind, ExprKind::Variable { id, .. } if id == variable) {
        found.push(expr);
    }
    for child in expr.children() {
        found.extend(uses_in(child, variable));
    }
    found
}

/// Uses of a loop's variable elsewhere that may see the value that the loop leaves:
/// all but those in loops that start by setting it.
fn uses_behind<'e>(stmt: &'e Stmt, variable: DeclId, this: &Stmt) -> Vec<&'e Expr> {
    let sets = |init: &Stmt| {
        matches!(&init.kind, StmtKind::Expr(Expr { kind: ExprKind::Assign { op: None, target, .. }, .. })
            if matches!(target.plain().kind, ExprKind::Variable { id, .. } if id == variable))
    };
    match &stmt.kind {
        StmtKind::For {
            init: Some(init), ..
        } if stmt.span == this.span || sets(init) => Vec::new(),
        StmtKind::Block(list) => list
            .iter()
            .flat_map(|s| uses_behind(s, variable, this))
            .collect(),
        StmtKind::If {
            condition,
            then,
            otherwise,
        } => {
            let mut found = uses_in(condition, variable);
            for inner in [Some(then), otherwise.as_ref()].into_iter().flatten() {
                found.extend(uses_behind(inner, variable, this));
            }
            found
        }
        _ => uses(stmt, variable),
    }
}

/// The macro of a chunk's length, where that is no size of the group.
fn chunk_macro(accesses: &Accesses<'_>, chunk: &Chunk) -> Result<Option<TextEdit>, Refusal> {
    let atoms = &accesses.bindings.atoms;
    let length = chunk.length.as_atom().map(|a| atoms.get(a));
    let Some(Atom::Macro { name, value }) = length else {
        return Ok(None);
    };
    let of_group = atoms
        .group_sizes()
        .is_some_and(|sizes| sizes.iter().any(|(other, _)| other == name));
    match u64::try_from(*value) {
        Ok(value) if !of_group && !defines(&accesses.bindings.tree.text, name, value) => {
            define(accesses, name, value).map(Some)
        }
        _ => Ok(None),
    }
}

/// What a loop in chunks takes.
struct LoopTexts {
    /// What stands in front of it: its variable is read behind it, and there may be no
    /// chunk.
    before: Option<String>,
    /// Header of the loop over chunks.
    header: String,
    /// How often to unroll, where a chunk's length is known: a number, since not every
    /// preprocessor looks for macros in a pragma.
    unroll: Option<u32>,
    /// Edits that make the loop one over a chunk.
    edits: Vec<TextEdit>,
}

/// The type of the loop over chunks.
fn counter_type(found: &Loop) -> &str {
    match found.ty.as_str() {
        "unsigned int" => "uint",
        "unsigned long" => "size_t",
        other => other,
    }
}

/// The number of iterations of a chunk, as printed.
fn chunk_count(
    writer: &mut Writer<'_, '_>,
    found: &Loop,
    chunk: &Chunk,
    start: &str,
    place: usize,
) -> String {
    let end = found.upper.add(&Poly::constant(1));
    let atoms = &mut writer.accesses.bindings.atoms;
    let left = end.sub(&Poly::atom(atoms.intern(Atom::Named(start.to_owned()))));
    let (left, length) = writer.print(place, |p| (p.poly(&left), p.poly(&chunk.length)));
    let ty = counter_type(found);
    let same = length.chars().all(|c| c.is_ascii_digit()) || writer.word == "int";
    if ty == "int" && is_int(writer.accesses, &end) && same {
        format!("min({length}, {left})")
    } else {
        format!("min(({ty}){length}, ({ty})({left}))")
    }
}

/// The text of the loop over chunks and of the loop within one; `loads` are the
/// edits of what is staged.
fn loop_texts(
    writer: &mut Writer<'_, '_>,
    found: &Loop,
    chunk: &Chunk,
    start: &str,
    context: &Context<'_>,
    within: &Within,
    loads: &[TextEdit],
) -> Result<LoopTexts, Refusal> {
    let stmt = context.stmt;
    let tree = writer.accesses.bindings.tree;
    let refuse = |why: &str| Refusal::new(tree, stmt.span, Code::Macro, why.to_owned());
    let StmtKind::For {
        init: Some(init),
        condition: Some(condition),
        body,
        ..
    } = &stmt.kind
    else {
        return Err(refuse("this loop's header can't be edited"));
    };
    let first = match &init.kind {
        StmtKind::Declare(variables) => variables.first().and_then(|v| v.init.as_ref()),
        StmtKind::Expr(e) => match &e.kind {
            ExprKind::Assign { value, .. } => Some(&**value),
            _ => None,
        },
        _ => None,
    };
    let first = first
        .and_then(|e| e.span.editable())
        .ok_or_else(|| refuse("the start of this loop comes out of a macro"))?;
    let range = condition
        .span
        .editable()
        .ok_or_else(|| refuse("the condition of this loop comes out of a macro"))?;
    let end = found.upper.add(&Poly::constant(1));
    let (lower, end_text, length) = writer.print(stmt.span.begin, |p| {
        (p.poly(&found.lower), p.poly(&end), p.poly(&chunk.length))
    });
    let ty = counter_type(found);
    let name = &found.name;
    let count = &within.count;
    let known = writer
        .accesses
        .bindings
        .atoms
        .with_values(&chunk.length)
        .as_constant();
    let mut edits = Vec::new();
    if within.from_zero.is_some() {
        edits.push(TextEdit::replace(first, "0"));
        edits.push(TextEdit::replace(range, format!("{name} < {count}")));
        for used in uses(body, found.variable) {
            let Some(at) = used.span.editable() else {
                continue;
            };
            let staged = |e: &&TextEdit| e.range.start <= at.start && at.end <= e.range.end;
            if loads.iter().any(|e| staged(&e)) {
                continue;
            }
            let text = match stands_alone(&tree.text, &at) {
                true => format!("{start} + {name}"),
                false => format!("({start} + {name})"),
            };
            edits.push(TextEdit::replace(at, text));
        }
    } else {
        edits.push(TextEdit::replace(first, start));
        edits.push(TextEdit::replace(
            range,
            format!("{name} < {start} + {count}"),
        ));
    }
    let declared = matches!(init.kind, StmtKind::Declare(_));
    Ok(LoopTexts {
        before: (within.from_zero.is_none() && !declared).then(|| format!("{name} = {lower};")),
        header: format!("for ({ty} {start} = {lower}; {start} < {end_text}; {start} += {length})"),
        unroll: known
            .filter(|n| (2..=MOST_UNROLLED).contains(n))
            .and_then(|n| u32::try_from(n).ok()),
        edits,
    })
}

/// Whether a sum may stand here without parentheses: nothing in front of it holds it
/// together with something, and nothing behind it binds closer. Behind a `+` it may not:
/// floats do not add up alike in another order.
fn stands_alone(text: &str, at: &Range<usize>) -> bool {
    let before = text[..at.start].trim_end();
    let behind = text[at.end..].trim_start();
    let assigned = before.strip_suffix('=').is_some_and(|b| {
        let compares = b.ends_with(['=', '!', '<', '>', '*', '/', '%', '&', '|', '^', '-']);
        !compares
    });
    let ends = behind.starts_with([']', ',', ')', ';', '+']) && !behind.starts_with("++");
    let taken = behind.starts_with('-') && !behind.starts_with("--") && !behind.starts_with("->");
    (before.ends_with(['[', ',', '(']) || assigned) && (ends || taken)
}

/// Changes of indentation, line by line.
pub(super) struct Lines<'s> {
    text: &'s str,
    unit: &'s str,
    levels: BTreeMap<usize, i32>,
}

impl<'s> Lines<'s> {
    /// None yet.
    pub(super) fn new(text: &'s str, unit: &'s str) -> Self {
        Self {
            text,
            unit,
            levels: BTreeMap::new(),
        }
    }

    /// Moves the lines from one offset to another by so many levels.
    pub(super) fn shift(&mut self, from: usize, to: usize, by: i32) {
        let mut at = line_start(self.text, from).0;
        while at <= to && at < self.text.len() {
            *self.levels.entry(at).or_default() += by;
            match self.text[at..].find('\n') {
                Some(i) => at += i + 1,
                None => break,
            }
        }
    }

    /// The indentation of a line as it will be, as far as is known.
    fn shifted(&self, line: usize, indent: &str) -> String {
        match self.levels.get(&line) {
            Some(n) if *n < 0 => indent.strip_suffix(self.unit).unwrap_or(indent).to_owned(),
            _ => indent.to_owned(),
        }
    }

    /// The edits, but for lines inside of text that others replace.
    pub(super) fn edits(&self, others: &[TextEdit]) -> Vec<TextEdit> {
        let mut edits = Vec::new();
        for (&line, &levels) in &self.levels {
            let replaced = |e: &&TextEdit| e.range.start < line && line < e.range.end;
            let gone =
                |e: &&TextEdit| e.range.start == line && e.range.end > line && e.text.is_empty();
            if others.iter().any(|e| replaced(&e) || gone(&e)) {
                continue;
            }
            let rest = &self.text[line..];
            if rest.lines().next().is_none_or(|l| l.trim().is_empty()) {
                continue;
            }
            if levels > 0 {
                edits.push(TextEdit::insert(line, self.unit.repeat(levels as usize)));
            } else if levels < 0 && rest.starts_with(self.unit) {
                edits.push(TextEdit::replace(line..line + self.unit.len(), ""));
            }
        }
        edits
    }
}

/// One behind the last byte of a statement, its semicolon included.
pub fn end_of(text: &str, stmt: &Stmt) -> usize {
    let inner = match &stmt.kind {
        StmtKind::Block(_) | StmtKind::Declare(_) => return stmt.span.end,
        StmtKind::If {
            then, otherwise, ..
        } => otherwise.as_deref().or(Some(&**then)),
        StmtKind::For { body, .. } => Some(&**body),
        StmtKind::While { body, .. } if text[..stmt.span.end].ends_with('}') => Some(&**body),
        _ => None,
    };
    match inner {
        Some(inner) => end_of(text, inner),
        None => {
            let rest = &text[stmt.span.end..];
            match rest.find(|c: char| !c.is_whitespace()) {
                Some(i) if rest[i..].starts_with(';') => stmt.span.end + i + 1,
                _ => stmt.span.end,
            }
        }
    }
}

/// A condition that needs no parentheses beside `&&`.
fn is_simple(condition: &Expr) -> bool {
    !matches!(
        &condition.kind,
        ExprKind::Binary {
            op: BinaryOp::LogicalOr | BinaryOp::Comma,
            ..
        } | ExprKind::Conditional { .. }
            | ExprKind::Assign { .. }
    )
}

/// Whether work-items beyond the guards must not compute an expression: it reads
/// memory, divides, or calls a function of the source.
pub fn needs_guard(expr: &Expr) -> bool {
    let this = match &expr.kind {
        ExprKind::Index { .. } | ExprKind::Other { .. } | ExprKind::Assign { .. } => {
            !matches!(&expr.kind, ExprKind::Other { kind, .. } if kind == "CompoundLiteralExpr" || kind == "InitListExpr")
        }
        ExprKind::Unary { op, .. } => matches!(
            op,
            tilewise_frontend::source::UnaryOp::Dereference
                | tilewise_frontend::source::UnaryOp::Increment
                | tilewise_frontend::source::UnaryOp::Decrement
        ),
        ExprKind::Binary { op, .. } => {
            matches!(op, BinaryOp::Div | BinaryOp::Rem)
                && crate::symbolic::eval::is_integer(&expr.ty)
        }
        ExprKind::Member { arrow, .. } => *arrow,
        _ => false,
    };
    this || expr.children().into_iter().any(needs_guard)
}
