// Workers, children, timers, signals, and a rejection that nobody handles: program.js NAME [ARGUMENT...].
const { Worker, isMainThread, parentPort } = require("worker_threads");
const { spawnSync, fork } = require("child_process");

if (!isMainThread) {
    let sum = 0;
    for (let i = 0; i < 3e6; i++) sum += i % 7;
    parentPort.postMessage(sum);
} else if (process.argv[2] === "child") {
    process.on("message", (m) => { process.send(m * 2); process.disconnect(); });
} else if (process.argv[2] === "throws") {
    Promise.reject(new Error("nobody's"));
} else {
    new Worker(__filename).on("message", (sum) => {
        console.log(sum);
        const child = fork(__filename, ["child"]);
        child.send(21);
        child.on("message", (m) => console.log("answered", m));
        child.on("exit", (code) => {
            console.log("child", code, spawnSync("sh", [process.argv[3]], { stdio: "inherit" }).status);
            process.on("SIGTERM", () => { console.error("terminated"); process.exit(12); });
            setTimeout(() => process.kill(process.pid, "SIGTERM"), 20);
            setInterval(() => {}, 1000);
        });
    });
}
