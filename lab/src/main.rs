//! What measures tilewise against something else: `cargo xtask evidence | model |
//! bench | random | stage-random | corpus | stage-corpus | oclgrind-tests | fuzz`,
//! which builds this program optimised.

mod bench;
mod corpus;
mod evidence;
mod fuzz;
mod kept;
mod model;
mod oclgrind_tests;
mod random;
mod stage_corpus;
mod stage_random;
mod workspace;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Tasks of the tilewise workspace")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Re-run each claim that needs no GPU, read the others from bench/runs,
    /// and print claim, target, figure, ok or not
    Evidence(evidence::Options),
    /// Predict measured runs anew and print how far predictions are off
    Model(model::Options),
    /// Time the simulator against Oclgrind
    Bench(bench::Options),
    /// Compile, lower and run every kernel of a folder of OpenCL sources
    Corpus(corpus::Options),
    /// One source of `corpus`, in a process of its own
    #[command(hide = true)]
    CorpusSource(corpus::ChildOptions),
    /// Run the fuzz targets until they bring nothing new
    Fuzz(fuzz::Options),
    /// Run Oclgrind's own kernel tests and compare the verdicts
    OclgrindTests(oclgrind_tests::Options),
    /// Run random programs on the simulator and on an OpenCL device, and
    /// compare with an interpreter
    Random(random::Options),
    /// Stage every kernel of a folder of OpenCL sources
    StageCorpus(stage_corpus::Options),
    /// Stage random naive kernels and prove each, or see it refused
    StageRandom(stage_random::Options),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().task {
        Task::Evidence(options) => evidence::run(&options),
        Task::Model(options) => model::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Corpus(options) => corpus::run(&options),
        Task::CorpusSource(options) => corpus::run_child(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::OclgrindTests(options) => oclgrind_tests::run(&options),
        Task::Random(options) => random::run(&options),
        Task::StageCorpus(options) => stage_corpus::run(&options),
        Task::StageRandom(options) => stage_random::run(&options),
    }
}
