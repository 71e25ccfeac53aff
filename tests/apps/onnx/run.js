// node run.js: reads {"file": ..., "rows": [[...], ...]} from standard input, one line a question, and answers each with
// the outputs of that ONNX file as {"name": {"dims": [...], "data": [...]}}, one line of JSON.
const ort = require("onnxruntime-node");
const lines = require("fs").readFileSync(0, "utf8").split("\n").filter(Boolean);

async function answer({ file, rows }) {
    const session = await ort.InferenceSession.create(file, { logSeverityLevel: 3 });
    const X = new ort.Tensor("float64", Float64Array.from(rows.flat()), [rows.length, rows[0].length]);
    const found = await session.run({ X });
    const plain = (v) => (typeof v === "bigint" ? Number(v) : v);
    const told = (name) => ({ dims: found[name].dims, data: Array.from(found[name].data, plain) });
    return Object.fromEntries(session.outputNames.map((name) => [name, told(name)]));
}

(async () => {
    for (const line of lines) {
        let said;
        try {
            said = await answer(JSON.parse(line));
        } catch (wrong) {
            said = { error: String(wrong) };
        }
        console.log(JSON.stringify(said));
    }
})();
