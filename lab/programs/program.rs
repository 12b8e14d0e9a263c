// Threads, a child, and a panic that ends the program with 101.
use std::{env, io::Write, process::Command, sync::mpsc, thread};

fn main() {
    let (sender, receiver) = mpsc::channel();
    for n in 0..50u64 {
        let sender = sender.clone();
        thread::spawn(move || sender.send((0..100_000u64).fold(n, |a, b| a.wrapping_mul(31).wrapping_add(b))).unwrap());
    }
    drop(sender);
    println!("{}", receiver.iter().fold(0u64, |a, b| a.wrapping_add(b)));
    std::io::stdout().flush().unwrap();
    println!("{:?}", Command::new("sh").arg(env::args().nth(1).unwrap()).status().unwrap().code());
    env::remove_var("RUST_BACKTRACE");
    assert!(env::args().count() > 5, "too few");
}
