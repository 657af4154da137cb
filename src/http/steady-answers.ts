/** A JSON answer with its tag. */
export type Answer = { body: string; etag: string };

const MOST_ANSWERS = 512;
const LARGEST = 65_536;

/**
 * Answers that depend on nothing but the database and the caller, kept until something is committed: pollers ask for
 * the same pages again and again, and scores move daily. `version` names the state of the database; it is read before
 * the answer is worked out, so that one that a commit overtook is never given again.
 */
export class SteadyAnswers {
  #version = "";
  #answers = new Map<string, Answer>();

  find(version: string, key: string): Answer | undefined {
    if (version !== this.#version) {
      this.#version = version;
      this.#answers.clear();
    }
    return this.#answers.get(key);
  }

  keep(version: string, key: string, answer: Answer): void {
    if (version !== this.#version || answer.body.length > LARGEST) return;
    if (this.#answers.size >= MOST_ANSWERS) this.#answers.delete(this.#answers.keys().next().value!);
    this.#answers.set(key, answer);
  }
}
