import { createConnection, createServer, type Socket } from "node:net";

/**
 * A statement by a part of its text, and its answer by a part of the response. The connection is closed before the
 * statement arrives, or before its answer does. With `late`, the statement arrives all the same when the test asks for
 * it, with everything that was sent since the statement `from`. With `replacement`, that arrives in place of the answer. With
 * `instead`, that statement of the same length arrives in place of the one that was sent.
 */
export type Cut = {
  sent: string;
  answered: string;
  when: "before" | "after" | "late";
  from?: string;
  replacement?: Buffer;
  instead?: string;
};

/**
 * A statement by a part of its text. From then on its connection loses every packet, and neither side notices: the
 * statement is `unheard`, or the database runs it and it is `unanswered`.
 */
export type Loss = { sent: string; what: "unheard" | "unanswered" };

/** The type and the length of a message, which precede its content. */
const MESSAGE_HEAD = 5;

/** The connection between a store and PostgreSQL. A test can close it at a statement, or let nothing through. */
export type PostgresProxy = Awaited<ReturnType<typeof startPostgresProxy>>;
export async function startPostgresProxy(target: number) {
  const pairs = new Set<[Socket, Socket]>();
  const state: {
    /** The port that new connections reach. */
    target: number;
    cut: Cut | undefined;
    loss: Loss | undefined;
    isSilent: boolean;
    arrive: () => Promise<void>;
  } = { target, cut: undefined, loss: undefined, isSilent: false, arrive: async () => {} };
  const listener = createServer((near) => {
    const far = createConnection(state.target, "127.0.0.1");
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    let isLosing = false;
    const end = () => {
      if (isLosing) return;
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
    let swallowsTo: string | undefined;
    let replacement: Buffer | undefined;
    const withheld: Buffer[] = [];
    near.on("data", (sent: Buffer) => {
      if (state.isSilent || isLosing) return;
      if (state.loss && sent.includes(state.loss.sent)) {
        isLosing = true;
        if (state.loss.what === "unanswered") far.write(sent);
        state.loss = undefined;
        return;
      }
      const isFrom = state.cut?.from !== undefined && sent.includes(state.cut.from);
      if (isFrom || withheld.length > 0) withheld.push(sent);
      const chunk = withheld.length > 0 ? Buffer.concat(withheld) : sent;
      if (state.cut && chunk.includes(state.cut.sent)) {
        const { when, answered, sent: statement, instead } = state.cut;
        if (instead !== undefined) chunk.write(instead, chunk.indexOf(statement));
        replacement = state.cut.replacement;
        state.cut = undefined;
        if (when === "before") return end();
        if (when === "late") {
          state.arrive = () =>
            new Promise((resolve) => {
              far.on("data", (answer) => answer.includes(answered) && resolve()).write(chunk);
            });
          near.off("close", end).destroy();
          return;
        }
        swallowsTo = answered;
      }
      if (withheld.length === 0) far.write(chunk);
    });
    far.on("data", (chunk: Buffer) => {
      if (state.isSilent || isLosing) return;
      if (swallowsTo !== undefined) {
        const at = chunk.indexOf(swallowsTo);
        if (replacement && at >= 0)
          near.end(Buffer.concat([chunk.subarray(0, at - MESSAGE_HEAD), replacement]));
        else if (replacement) near.write(chunk);
        else if (at >= 0) end();
        return;
      }
      if (!near.destroyed) near.write(chunk);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    state,
    port: String((listener.address() as { port: number }).port),
    end: async () => {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      await new Promise<void>((resolve) => void listener.close(() => resolve()));
    },
  };
}
