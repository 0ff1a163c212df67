//! `tilewise export`: a bundle that needs no clang.

use std::path::{Path, PathBuf};

use tilewise_launch::{LaunchFile, LaunchSpec, file};

use crate::bundle::{self, Contents};
use crate::error::Error;
use crate::headers::with_headers;
use crate::input::KernelInput;
use crate::load::{device_options, load};
use crate::session::Session;
use crate::target::{Need, Target};

/// Writes a bundle of the kernel's file with its launches, and names the files.
///
/// # Errors
/// The kernel, the launch, or the folder.
pub fn export(session: &Session, input: &KernelInput, out: &Path) -> Result<Vec<PathBuf>, Error> {
    let target = Target::resolve(session, Need::Profile)?.swap_remove(0);
    let loaded = load(session, &target, std::slice::from_ref(input))?.swap_remove(0);
    let (Some(artifacts), Some(source)) = (&loaded.unit.artifacts, &loaded.unit.source) else {
        return Err(Error::Input(format!(
            "{} is SPIR-V already: it needs no bundle",
            input.path.display()
        )));
    };
    // All launches of the file travel; the one given goes first.
    let mut launches = vec![loaded.resolved.spec().clone()];
    let beside = input
        .launch_file
        .clone()
        .or_else(|| LaunchFile::beside(&input.path));
    if let Some(path) = beside {
        let first = launches[0].clone();
        launches.extend(
            LaunchFile::read(&path)?
                .launches
                .into_iter()
                .filter(|l| *l != first),
        );
    }
    // Headers travel in the text, since the folders that they are in do not.
    let spec = loaded.resolved.spec();
    let folder = input.path.parent().unwrap_or(Path::new(""));
    let source = with_headers(source, folder, &spec.include);
    let without_folders = LaunchSpec {
        include: Vec::new(),
        ..spec.clone()
    };
    bundle::write(
        out,
        &Contents {
            file: &input.path,
            artifacts,
            source: &source,
            build_options: &device_options(&without_folders, None),
            texts: [&loaded.unit.files[..], &loaded.unit.included].concat(),
            c_version: loaded.unit.c_version,
            launches: &file::to_toml(&launches, out),
        },
    )
}
