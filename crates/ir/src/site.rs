//! Source sites: where an instruction comes from.
//!
//! A helper that is inlined at three places gives three sites: a [`Site`] is a
//! position together with the call it was reached through.

use crate::ids::{FileId, SiteId};

/// A position in a file, counted from 1. Line 0 means that it isn't known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The file.
    pub file: FileId,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1; 0 where only the line is known.
    pub column: u32,
}

/// Where an instruction comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// Where the code stands in the user's file. Inside a macro: where the
    /// macro is used.
    pub position: Position,
    /// Inside a macro: where the text of the macro stands.
    pub spelling: Option<Position>,
    /// The call that this code was inlined at, if it is in a helper function.
    pub inlined_at: Option<SiteId>,
}

/// The files and sites of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteTable {
    files: Vec<String>,
    sites: Vec<Site>,
    index: std::collections::HashMap<Site, SiteId>,
}

impl SiteTable {
    /// The id of a file, which is added if it is new.
    pub fn file(&mut self, name: &str) -> FileId {
        let index = self
            .files
            .iter()
            .position(|f| f == name)
            .unwrap_or_else(|| {
                self.files.push(name.to_owned());
                self.files.len() - 1
            });
        FileId::new(index)
    }

    /// The id of a site, which is added if it is new.
    pub fn site(&mut self, site: Site) -> SiteId {
        *self.index.entry(site).or_insert_with(|| {
            self.sites.push(site);
            SiteId::new(self.sites.len() - 1)
        })
    }

    /// The site behind an id.
    pub fn get(&self, id: SiteId) -> &Site {
        &self.sites[id.index()]
    }

    /// The name of a file.
    pub fn file_name(&self, id: FileId) -> &str {
        &self.files[id.index()]
    }

    /// Number of sites; ids run from 0 to this.
    pub fn len(&self) -> usize {
        self.sites.len()
    }

    /// Whether there is no site.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// The site and the calls it was reached through, innermost first.
    pub fn chain(&self, id: SiteId) -> impl Iterator<Item = &Site> {
        std::iter::successors(Some(self.get(id)), |s| s.inlined_at.map(|id| self.get(id)))
    }
}
