import { createServer, type Server, Socket } from "node:net";

/** What the wire does with what comes to it. */
export type Mode =
  /** Passes it on. */
  | "through"
  /** Closes every connection at once, as a host does where nothing listens. */
  | "refused"
  /** Takes connections and bytes, and answers nothing, as a network that loses every packet. */
  | "silent";

/** When a connection that commits is cut: before the database has heard of it, or before its answer is told. */
export type CutAtCommit = "before" | "after" | undefined;

/** What is lost first of a connection that loses every packet, of which neither side is told: its COMMIT, or the answer. */
export type LostAtCommit = "unheard" | "unanswered" | undefined;

/** What the transactions of writes begin by, and what is in one that a client waits for: the name of a webhook's event. */
const BEGIN = "READ COMMITTED";
const CREATES = ".created";

/**
 * The one way from the servers to the database, as a proxy is that operators put before a pair of them: it can be
 * turned to another database, closed, made silent, or cut.
 */
export class Wire {
  mode: Mode = "through";
  /** Asked at every COMMIT that passes. */
  cutAtCommit: () => CutAtCommit = () => undefined;
  /** Done to the next connection that commits what a client has made. */
  lostAtCommit: LostAtCommit;
  #connections = new Set<Connection>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
    /** The port of the database. */
    public target: number,
  ) {}

  static async open(target: number): Promise<Wire> {
    const server = createServer({ noDelay: true });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const wire = new Wire(server, port, target);
    server.on("connection", (socket) => wire.#take(socket));
    return wire;
  }

  /** Cuts every connection that stands. */
  cut(): void {
    for (const connection of this.#connections) connection.cut();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.server.close(() => resolve()));
    this.cut();
    await closed;
  }

  #take(client: Socket): void {
    const connection = new Connection(client, this, () => this.#connections.delete(connection));
    this.#connections.add(connection);
    if (this.mode === "refused") connection.cut();
  }
}

class Connection {
  readonly #database = new Socket();
  #isCutAtAnswer = false;
  #creates = false;
  #isLost = false;

  constructor(
    private readonly client: Socket,
    private readonly wire: Wire,
    onCut: () => void,
  ) {
    client.on("data", (bytes: Buffer) => this.#fromClient(bytes));
    this.#database.on("data", (bytes: Buffer) => this.#fromDatabase(bytes));
    for (const socket of [client, this.#database]) {
      const end = () => {
        if (!this.#isLost) this.cut();
        if (this.client.destroyed && this.#database.destroyed) onCut();
      };
      socket.on("error", end);
      socket.on("close", end);
    }
    this.#database.setNoDelay(true);
    this.#database.connect(wire.target, "127.0.0.1");
  }

  cut(): void {
    this.client.destroy();
    this.#database.destroy();
  }

  #fromClient(bytes: Buffer): void {
    // What the silence has swallowed never comes.
    if (this.wire.mode === "silent" || this.#isLost) return;
    const text = bytes.toString("latin1");
    if (text.includes(BEGIN)) this.#creates = false;
    this.#creates ||= text.includes(CREATES);
    if (this.#creates && this.wire.lostAtCommit && text.includes("COMMIT\0")) this.#lose(bytes);
    if (this.#isLost) return;
    const when = /commit/i.test(text) ? this.wire.cutAtCommit() : undefined;
    if (when === "after") this.#isCutAtAnswer = true;
    if (when === "before") this.cut();
    else this.#database.write(bytes);
  }

  #lose(bytes: Buffer): void {
    this.#isLost = true;
    if (this.wire.lostAtCommit === "unanswered") this.#database.write(bytes);
    this.wire.lostAtCommit = undefined;
  }

  #fromDatabase(bytes: Buffer): void {
    if (this.#isLost) return;
    if (this.#isCutAtAnswer) this.cut();
    else if (this.wire.mode !== "silent") this.client.write(bytes);
  }
}
