/** A phone's connection to the hub: what comes in, and questions that wait for their answer. */
import type { BinaryNode } from 'baileys';
import type { Client, Device, Hub } from '../../base/types.ts';

/** An iq that the server refused. */
class Refused extends Error {}

export class Line implements Client {
  readonly #hub: Hub;
  readonly #device: Device;
  readonly #onNode: (node: BinaryNode) => void;
  readonly #questions = new Map<string, PromiseWithResolvers<BinaryNode>>();
  #lastId = 0;
  #open = false;

  constructor(hub: Hub, device: Device, onNode: (node: BinaryNode) => void) {
    this.#hub = hub;
    this.#device = device;
    this.#onNode = onNode;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  connect(): void {
    if (this.#open) return;
    this.#open = true;
    this.#hub.attach(this.#device, this);
  }

  disconnect(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#hub.detach(this.#device, this);
    this.#abandon('the phone went offline');
  }

  /** A stanza from the hub. */
  send(node: BinaryNode): void {
    if (node.tag !== 'iq' || (node.attrs['type'] !== 'result' && node.attrs['type'] !== 'error'))
      return this.#onNode(node);
    const question = this.#questions.get(node.attrs['id'] ?? '');
    if (question === undefined) return;
    this.#questions.delete(node.attrs['id']!);
    if (node.attrs['type'] === 'result') question.resolve(node);
    else question.reject(new Refused(`the server refused the request: ${JSON.stringify(node.content)}`));
  }

  /** The hub ends the connection. */
  close(): void {
    this.#open = false;
    this.#abandon('the server ended the connection');
  }

  tell(node: BinaryNode): void {
    this.#hub.receive(this.#device, node);
  }

  /** Sends an iq and resolves with its answer. */
  ask(node: BinaryNode): Promise<BinaryNode> {
    if (!this.#open) return Promise.reject(new Error('the phone is offline'));
    const id = `phone-${++this.#lastId}`;
    const question = Promise.withResolvers<BinaryNode>();
    this.#questions.set(id, question);
    this.tell({ ...node, attrs: { ...node.attrs, id } });
    return question.promise;
  }

  #abandon(reason: string): void {
    for (const { reject } of this.#questions.values()) reject(new Error(reason));
    this.#questions.clear();
  }
}
