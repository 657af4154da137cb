import { createServer, type Server, Socket } from "node:net";

/** The treatment of data on the connection. */
export type Mode =
  /** Forwards it. */
  | "through"
  /** Closes every connection at once, like a host where nothing listens. */
  | "refused"
  /** Accepts connections and bytes and answers nothing, like a network that loses every packet. */
  | "silent";

/**
 * The moment at which a committing connection is closed: before the database receives the COMMIT, or before the client
 * receives the answer.
 */
export type CutAtCommit = "before" | "after" | undefined;

/**
 * The first packet that is lost on a connection that loses every packet, unnoticed by both sides: the COMMIT or its
 * answer.
 */
export type LostAtCommit = "unheard" | "unanswered" | undefined;

/**
 * The first statement of a write's transaction, and the name of a webhook's event, which appears in one that a client
 * waits for.
 */
const BEGIN = "READ COMMITTED";
const CREATES = ".created";

/**
 * The only connection from the servers to the database, like a proxy before a primary and a standby: it can be switched
 * to another database, closed, silenced or cut.
 */
export class DatabaseProxy {
  mode: Mode = "through";
  /** Called at every COMMIT that passes. */
  cutAtCommit: () => CutAtCommit = () => undefined;
  /** Applies to the next connection that commits a client's write. */
  lostAtCommit: LostAtCommit;
  #connections = new Set<Connection>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
    /** The port of the database. */
    public target: number,
  ) {}

  static async open(target: number): Promise<DatabaseProxy> {
    const server = createServer({ noDelay: true });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const wire = new DatabaseProxy(server, port, target);
    server.on("connection", (socket) => wire.#take(socket));
    return wire;
  }

  /** Closes every open connection. */
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
    private readonly wire: DatabaseProxy,
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
    // Lost data never arrives.
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
