//! Sites from `OpLine`, `DebugScope` and the calls that were inlined.

use std::collections::HashMap;

use tilewise_ir::{Position, Site, SiteId, SiteTable};

use crate::position::PositionMap;
use crate::spirv::debug::{Entry, Scope};
use crate::spirv::{Id, Module};

/// A line as `OpLine` gives it: file string, line, column.
pub type Line = (Id, u32, u32);

/// What decides about a site: line, debug scope, call inlined at.
type Key = (Option<Line>, Option<Scope>, Option<SiteId>);

/// Calls deeper than this are cut off: a chain that long is a fault of the
/// debug information.
const MAX_CHAIN: u32 = 64;

/// Makes the sites of one module.
pub struct Sites<'m> {
    module: &'m Module,
    positions: &'m PositionMap,
    table: SiteTable,
    unknown: SiteId,
    known: HashMap<Key, SiteId>,
}

impl<'m> Sites<'m> {
    /// No sites yet but the unknown one.
    pub fn new(module: &'m Module, positions: &'m PositionMap) -> Self {
        let mut table = SiteTable::default();
        let file = table.file(positions.main_file());
        let unknown = table.site(Site {
            position: Position {
                file,
                line: 0,
                column: 0,
            },
            spelling: None,
            inlined_at: None,
        });
        Self {
            module,
            positions,
            table,
            unknown,
            known: HashMap::new(),
        }
    }

    /// The site of code that no line of the source stands for.
    pub fn unknown(&self) -> SiteId {
        self.unknown
    }

    /// The finished table.
    pub fn into_table(self) -> SiteTable {
        self.table
    }

    /// File, line and column of a site, for messages.
    pub fn describe(&self, site: SiteId) -> Option<(String, u32, u32)> {
        let position = self.table.get(site).position;
        (position.line != 0).then(|| {
            let file = self.table.file_name(position.file).to_owned();
            (file, position.line, position.column)
        })
    }

    /// The site of an instruction: its line, its debug scope, and the call that
    /// its function was inlined at while lowering.
    pub fn site(
        &mut self,
        line: Option<Line>,
        scope: Option<Scope>,
        inlined_at: Option<SiteId>,
    ) -> SiteId {
        let key = (line, scope, inlined_at);
        if let Some(&site) = self.known.get(&key) {
            return site;
        }
        let calls = match scope.and_then(|s| s.inlined) {
            Some(id) => self.call_chain(id, inlined_at, 0),
            None => inlined_at,
        };
        let site = match line {
            Some((file, line, column)) if line != 0 => {
                let module = self.module;
                let file = module.strings.get(&file).map_or("", String::as_str);
                self.at(file, line, column, calls)
            }
            _ if calls.is_none() => self.unknown,
            _ => {
                let position = self.table.get(self.unknown).position;
                self.table.site(Site {
                    position,
                    spelling: None,
                    inlined_at: calls,
                })
            }
        };
        self.known.insert(key, site);
        site
    }

    fn at(&mut self, file: &str, line: u32, column: u32, inlined_at: Option<SiteId>) -> SiteId {
        let located = self.positions.locate(file, line, column);
        let position = Position {
            file: self.table.file(located.file),
            line: located.line,
            column: located.column,
        };
        let spelling = located.spelling.map(|(file, line, column)| Position {
            file: self.table.file(file),
            line,
            column,
        });
        self.table.site(Site {
            position,
            spelling,
            inlined_at,
        })
    }

    /// The chain of a `DebugInlinedAt`, which has a line but no column.
    fn call_chain(&mut self, id: Id, outer: Option<SiteId>, depth: u32) -> Option<SiteId> {
        let module = self.module;
        let Some(&Entry::InlinedAt {
            line,
            scope,
            inlined,
        }) = module.debug.get(&id)
        else {
            return outer;
        };
        let outer = match inlined {
            Some(next) if depth < MAX_CHAIN => self.call_chain(next, outer, depth + 1),
            _ => outer,
        };
        if line == 0 {
            return outer;
        }
        let file = self.file_of_scope(scope).unwrap_or("");
        Some(self.at(file, line, 0, outer))
    }

    fn file_of_scope(&self, scope: Id) -> Option<&'m str> {
        let module = self.module;
        let Some(Entry::Scope { source }) = module.debug.get(&scope) else {
            return None;
        };
        let Some(Entry::Source { file }) = module.debug.get(source) else {
            return None;
        };
        module.strings.get(file).map(String::as_str)
    }
}
