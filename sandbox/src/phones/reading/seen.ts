/** Which messages a phone has read, by id and author: each is read once. Only the newest are remembered. */

export class SeenMessages {
  /** Numbers of the authors by id: mostly there is one. */
  readonly #authors = new Map<string, string | readonly string[]>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  has(id: string, author: string): boolean {
    const authors = this.#authors.get(id);
    return authors === author || (typeof authors === 'object' && authors.includes(author));
  }

  add(id: string, author: string): void {
    const authors = this.#authors.get(id);
    this.#authors.set(id, authors === undefined ? author : [...[authors].flat(), author]);
    if (this.#authors.size > this.#capacity) this.#authors.delete(this.#authors.keys().next().value!);
  }

  /** As they are kept on disk. */
  keys(): readonly string[] {
    return [...this.#authors].flatMap(([id, authors]) => [authors].flat().map((author) => `${id}/${author}`));
  }

  restore(keys: readonly string[]): void {
    for (const key of keys) {
      const slash = key.lastIndexOf('/');
      this.add(key.slice(0, slash), key.slice(slash + 1));
    }
  }
}
