//! Global memory: pages of 1 KiB that come to be when they are first touched,
//! so that a launch over gigabytes costs only what its sampled groups use. A
//! group that walks down a column of a matrix touches a page per row: larger
//! pages would cost it that much more.
//!
//! Words are atomics accessed in relaxed order, which on every processor are
//! plain moves: work-groups can run in parallel, and a kernel that races gets
//! some value, as on a device, never undefined behaviour of the simulator.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use tilewise_launch::Buffer;

use super::words::Words;
use crate::lanes::each_lane;

/// Words of a page.
pub(crate) const PAGE_WORDS: usize = 256;
/// Bytes of a page.
pub(crate) const PAGE_BYTES: u64 = 4 * PAGE_WORDS as u64;
/// Pages of a chunk (512 KiB).
const CHUNK_PAGES: usize = 512;

/// A page.
pub(crate) struct Page {
    words: [AtomicU32; PAGE_WORDS],
}

impl Page {
    /// Copies bytes from an offset on.
    pub fn read(&self, first: usize, out: &mut [u8]) {
        for (i, b) in out.iter_mut().enumerate() {
            let at = first + i;
            *b = (self.words[at / 4].load(Relaxed) >> (8 * (at % 4))) as u8;
        }
    }
}

/// What a region holds before the kernel writes it.
#[derive(Debug)]
pub(crate) enum Contents {
    /// A buffer's fill.
    Fill {
        buffer: Buffer,
        seed: u64,
        stream: u64,
    },
    /// Bytes, then zeros.
    Bytes(Arc<[u8]>),
}

impl Contents {
    /// Writes the bytes from an offset on.
    fn write(&self, first_byte: u64, out: &mut [u8]) {
        match self {
            Contents::Fill {
                buffer,
                seed,
                stream,
            } => {
                buffer
                    .fill
                    .write(&buffer.elem, *seed, *stream, first_byte, out);
            }
            Contents::Bytes(bytes) => {
                out.fill(0);
                let rest = usize::try_from(first_byte)
                    .ok()
                    .and_then(|first| bytes.get(first..))
                    .unwrap_or(&[]);
                let n = rest.len().min(out.len());
                out[..n].copy_from_slice(&rest[..n]);
            }
        }
    }
}

/// Neighbouring pages. Which of them the kernel has written stands beside them, not
/// in them: a group that writes down a column would touch a cache line more per page.
struct Chunk {
    pages: [OnceLock<Box<Page>>; CHUNK_PAGES],
    written: [AtomicBool; CHUNK_PAGES],
}

impl Chunk {
    fn new() -> Box<Self> {
        Box::new(Self {
            pages: [const { OnceLock::new() }; CHUNK_PAGES],
            written: [const { AtomicBool::new(false) }; CHUNK_PAGES],
        })
    }
}

/// One region of global or constant memory.
pub(crate) struct Paged {
    contents: Contents,
    chunks: Box<[OnceLock<Box<Chunk>>]>,
}

impl Paged {
    /// A region of so many bytes.
    pub fn new(bytes: u64, contents: Contents) -> Self {
        let chunks = bytes.div_ceil(PAGE_BYTES * CHUNK_PAGES as u64);
        Self {
            contents,
            chunks: (0..chunks).map(|_| OnceLock::new()).collect(),
        }
    }

    /// A page, which is made when it is not there yet.
    #[inline]
    pub fn page(&self, number: u64) -> &Page {
        let number = number as usize;
        let chunk = self.chunks[number / CHUNK_PAGES].get_or_init(Chunk::new);
        chunk.pages[number % CHUNK_PAGES].get_or_init(|| self.new_page(number as u64))
    }

    #[cold]
    fn new_page(&self, number: u64) -> Box<Page> {
        let mut bytes = [0; PAGE_BYTES as usize];
        self.contents.write(number * PAGE_BYTES, &mut bytes);
        let (words, _) = bytes.as_chunks::<4>();
        Box::new(Page {
            words: std::array::from_fn(|i| AtomicU32::new(u32::from_le_bytes(words[i]))),
        })
    }

    /// The numbers of the pages that have been touched, in order, and whether the
    /// kernel has written there.
    pub fn pages(&self) -> impl Iterator<Item = (u64, bool)> + '_ {
        let chunks = self.chunks.iter().enumerate();
        chunks
            .filter_map(|(c, chunk)| Some((c, chunk.get()?)))
            .flat_map(|(c, chunk)| {
                let pages = chunk.pages.iter().zip(&chunk.written).enumerate();
                pages.filter_map(move |(p, (page, written))| {
                    page.get()?;
                    Some(((c * CHUNK_PAGES + p) as u64, written.load(Relaxed)))
                })
            })
    }

    /// Copies bytes from an offset on, without touching pages.
    pub fn read(&self, first_byte: u64, out: &mut [u8]) {
        let mut done = 0;
        while done < out.len() {
            let at = first_byte + done as u64;
            let in_page = (at % PAGE_BYTES) as usize;
            let n = (out.len() - done).min(PAGE_BYTES as usize - in_page);
            let part = &mut out[done..done + n];
            let number = (at / PAGE_BYTES) as usize;
            let page = self
                .chunks
                .get(number / CHUNK_PAGES)
                .and_then(|c| c.get())
                .and_then(|c| c.pages[number % CHUNK_PAGES].get());
            match page {
                Some(page) => page.read(in_page, part),
                None => self.contents.write(at, part),
            }
            done += n;
        }
    }

    pub fn cursor(&self) -> PagedWords<'_> {
        PagedWords {
            memory: self,
            number: u64::MAX,
            page: None,
            marked: false,
            chunk: (usize::MAX, None),
        }
    }
}

/// The words of a paged region; remembers the page last used.
pub(crate) struct PagedWords<'a> {
    memory: &'a Paged,
    number: u64,
    page: Option<&'a Page>,
    marked: bool,
    /// The chunk used last, that of the page: its number and itself.
    chunk: (usize, Option<&'a Chunk>),
}

impl<'a> PagedWords<'a> {
    #[inline(always)]
    fn page(&mut self, number: u64) -> &'a Page {
        match self.page {
            Some(page) if self.number == number => page,
            _ => {
                let page = self.look_up(number);
                (self.number, self.page, self.marked) = (number, Some(page), false);
                page
            }
        }
    }

    #[inline(always)]
    fn look_up(&mut self, number: u64) -> &'a Page {
        let (chunk, at) = (number as usize / CHUNK_PAGES, number as usize % CHUNK_PAGES);
        if self.chunk.0 == chunk
            && let Some(page) = self.chunk.1.and_then(|c| c.pages[at].get())
        {
            return page;
        }
        let page = self.memory.page(number);
        self.chunk = (chunk, self.memory.chunks[chunk].get().map(|c| &**c));
        page
    }

    #[inline(always)]
    fn page_to_write(&mut self, number: u64) -> &'a Page {
        let page = self.page(number);
        if !self.marked {
            if let Some(chunk) = self.chunk.1 {
                let written = &chunk.written[number as usize % CHUNK_PAGES];
                if !written.load(Relaxed) {
                    written.store(true, Relaxed);
                }
            }
            self.marked = true;
        }
        page
    }

    /// Applies `f` to a word until it holds; `f` gives `None` where it does
    /// not write. Returns what the word held.
    pub fn update(&mut self, word: u64, mut f: impl FnMut(u32) -> Option<u32>) -> u32 {
        let page = self.page_to_write(word / PAGE_WORDS as u64);
        let cell = &page.words[(word % PAGE_WORDS as u64) as usize];
        match cell.fetch_update(Relaxed, Relaxed, &mut f) {
            Ok(old) | Err(old) => old,
        }
    }
}

impl Words for PagedWords<'_> {
    const PER_LANE: bool = false;

    #[inline(always)]
    fn get(&mut self, _: usize, word: u64) -> u32 {
        let page = self.page(word / PAGE_WORDS as u64);
        page.words[(word % PAGE_WORDS as u64) as usize].load(Relaxed)
    }

    #[inline(always)]
    fn set(&mut self, _: usize, word: u64, value: u32, bits: u32) {
        let page = self.page_to_write(word / PAGE_WORDS as u64);
        let cell = &page.words[(word % PAGE_WORDS as u64) as usize];
        if bits == !0 {
            cell.store(value, Relaxed);
        } else {
            // Another group may write the other bytes of the word meanwhile.
            cell.fetch_and(!bits, Relaxed);
            cell.fetch_or(value & bits, Relaxed);
        }
    }

    #[inline(always)]
    fn get_run(&mut self, _: usize, first: u64, out: &mut [u32]) {
        let mut done = 0;
        while done < out.len() {
            let word = first + done as u64;
            let at = (word % PAGE_WORDS as u64) as usize;
            let n = (out.len() - done).min(PAGE_WORDS - at);
            let page = self.page(word / PAGE_WORDS as u64);
            for (to, from) in out[done..done + n].iter_mut().zip(&page.words[at..at + n]) {
                *to = from.load(Relaxed);
            }
            done += n;
        }
    }

    #[inline(always)]
    fn get_apart<const N: usize>(&mut self, first: u64, step: usize, out: &mut [u32; N]) {
        let at = (first % PAGE_WORDS as u64) as usize;
        let length = (N - 1) * step + 1;
        if at + length > PAGE_WORDS {
            for (i, w) in out.iter_mut().enumerate() {
                *w = self.get(0, first + (i * step) as u64);
            }
            return;
        }
        let page = self.page(first / PAGE_WORDS as u64);
        let words = page.words[at..][..length].iter().step_by(step);
        for (w, from) in out.iter_mut().zip(words) {
            *w = from.load(Relaxed);
        }
    }

    #[inline(always)]
    fn set_apart<const N: usize>(&mut self, first: u64, step: usize, values: &[u32; N]) {
        let at = (first % PAGE_WORDS as u64) as usize;
        let length = (N - 1) * step + 1;
        if at + length > PAGE_WORDS {
            for (i, &w) in values.iter().enumerate() {
                self.set(0, first + (i * step) as u64, w, !0);
            }
            return;
        }
        let page = self.page_to_write(first / PAGE_WORDS as u64);
        let words = page.words[at..][..length].iter().step_by(step);
        for (to, w) in words.zip(values) {
            to.store(*w, Relaxed);
        }
    }

    #[inline(always)]
    fn gather<const W: usize>(
        &mut self,
        mask: u64,
        (low, high): (u64, u64),
        byte: impl Fn(usize) -> u64,
        out: &mut [u32; W],
    ) {
        if low / PAGE_BYTES != high / PAGE_BYTES {
            for lane in each_lane(mask) {
                out[lane] = self.get(lane, byte(lane) / 4);
            }
            return;
        }
        let page = self.page(low / PAGE_BYTES);
        for (lane, o) in out.iter_mut().enumerate() {
            // Of a lane that is not active any word of the page will do.
            let word = page.words[(byte(lane) / 4) as usize % PAGE_WORDS].load(Relaxed);
            *o = if mask >> lane & 1 != 0 { word } else { *o };
        }
    }

    #[inline(always)]
    fn set_run(&mut self, _: usize, first: u64, values: &[u32]) {
        let mut done = 0;
        while done < values.len() {
            let word = first + done as u64;
            let at = (word % PAGE_WORDS as u64) as usize;
            let n = (values.len() - done).min(PAGE_WORDS - at);
            let page = self.page_to_write(word / PAGE_WORDS as u64);
            for (from, to) in values[done..done + n].iter().zip(&page.words[at..at + n]) {
                to.store(*from, Relaxed);
            }
            done += n;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_when_touched() {
        let bytes: Arc<[u8]> = (0..10_000u32).map(|i| i as u8).collect();
        let memory = Paged::new(1 << 32, Contents::Bytes(bytes));
        let mut cursor = memory.cursor();
        assert_eq!(cursor.get(0, 1), u32::from_le_bytes([4, 5, 6, 7]));
        cursor.set(0, 1 << 29, 0xAABB_CCDD, 0x0000_FF00);
        let mut run = [0; 4];
        cursor.get_run(0, 1022, &mut run);
        assert_eq!(run[2], u32::from_le_bytes([0, 1, 2, 3]), "4096 wraps to 0");
        let touched: Vec<_> = memory.pages().collect();
        let page = |word: u64| word / PAGE_WORDS as u64;
        let (before, after) = (page(1022), page(1024));
        let written = page(1 << 29);
        assert_eq!(
            touched,
            [(0, false), (before, false), (after, false), (written, true)]
        );
        let mut out = [0xFF; 4];
        memory.read(1 << 31, &mut out);
        assert_eq!(out, [0, 0xCC, 0, 0]);
        memory.read(8190, &mut out);
        assert_eq!(out, [254, 255, 0, 1], "from pages that were never touched");
    }
}
