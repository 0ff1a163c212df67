//! Flags that choose a device and how much may be spent on it.

use clap::Args;
use tilewise::DeviceChoice;

/// Where to run, or what to simulate.
#[derive(Args)]
#[command(next_help_heading = "Device")]
pub struct DeviceArgs {
    /// auto, all, sim:NAME, sim:FILE.toml, cl:INDEX or cl:PART_OF_NAME
    #[arg(
        long,
        value_name = "DEVICE",
        env = "TILEWISE_DEVICE",
        hide_env_values = true,
        default_value = "auto",
        value_parser = device
    )]
    pub device: DeviceChoice,
    /// Threads of the simulator [default: one per core]
    #[arg(long, value_name = "N", value_parser = positive_count)]
    pub threads: Option<usize>,
    /// Compile anew, and keep nothing for the next run
    #[arg(long)]
    pub no_cache: bool,
}

/// What a measurement may do and cost.
#[derive(Args)]
#[command(next_help_heading = "Device")]
pub struct MeasureArgs {
    /// Run on the device though the simulator found the launch unsafe
    #[arg(long)]
    pub force: bool,
    /// Staging within this share of the same speed is a tie
    #[arg(long, value_name = "SHARE", default_value = "0.05", value_parser = share)]
    pub band: f64,
    /// Seconds that a measurement may take per launch
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub budget: f64,
}

/// An empty text, as an unset variable of a script gives it, is `auto`.
fn device(text: &str) -> Result<DeviceChoice, String> {
    if text.is_empty() {
        return Ok(DeviceChoice::Auto);
    }
    text.parse()
        .map_err(|error: tilewise::Error| error.to_string())
}

fn positive_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least 1 is needed; leave the flag out for one per core".to_owned()),
        Ok(count) => Ok(count),
        Err(error) => Err(format!("{error}")),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if (0.0..1.0).contains(&share) => Ok(share),
        _ => Err("a share from 0 to below 1 is needed, such as 0.05".to_owned()),
    }
}

/// Reads a time in seconds, more than none.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("a number of seconds above 0 is needed, such as 5".to_owned()),
    }
}
