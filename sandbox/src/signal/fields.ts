/** Protobuf by its fields, as far as messages and records of Signal need it: varints and bytes. */

const VARINT = 0;
const BYTES = 2;

/** Goes through the fields of a message one after the other. Throws RangeError on bytes that are not one. */
export class FieldReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;
  /** Where the bytes of the field that was read last begin. */
  start = 0;
  /** Of the field that was read last. */
  number = 0;
  /** Of a varint; of bytes their length. */
  value = 0;

  constructor(bytes: Uint8Array, from = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = end;
  }

  /** False after the last field. */
  next(): boolean {
    if (this.#at >= this.#end) return false;
    const tag = this.#varint();
    const kind = tag & 7;
    if (kind !== VARINT && kind !== BYTES) throw new RangeError('not a message of Signal');
    this.number = tag >>> 3;
    this.value = this.#varint();
    this.start = this.#at;
    if (kind === BYTES) this.#at += this.value;
    if (this.#at > this.#end) throw new RangeError('not a message of Signal');
    return true;
  }

  /** Where they end, and the next field begins. */
  get end(): number {
    return this.#at;
  }

  /** A view of the bytes of the field. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(this.start, this.#at);
  }

  /** A copy, to be kept. */
  copy(): Uint8Array {
    return Uint8Array.from(this.bytes());
  }

  #varint(): number {
    let value = 0;
    for (let factor = 1; factor < 2 ** 35; factor *= 128) {
      const byte = this.#at < this.#end ? this.#bytes[this.#at++]! : 0x80;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new RangeError('not a message of Signal');
  }
}

export class FieldWriter {
  #bytes: Uint8Array;
  #at = 0;

  /** With room for so many bytes; it grows where that is not enough. */
  constructor(room: number) {
    this.#bytes = new Uint8Array(room);
  }

  byte(value: number): this {
    this.#reserve(1);
    this.#bytes[this.#at++] = value;
    return this;
  }

  int(number: number, value: number): this {
    this.#reserve(7);
    this.#bytes[this.#at++] = number << 3;
    this.#varint(value);
    return this;
  }

  field(number: number, value: Uint8Array): this {
    this.#reserve(7 + value.length);
    this.#bytes[this.#at++] = (number << 3) | BYTES;
    this.#varint(value.length);
    return this.raw(value);
  }

  raw(value: Uint8Array): this {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
    return this;
  }

  /** A view of what was written so far. */
  done(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  #varint(value: number): void {
    let left = value;
    for (; left > 0x7f; left = Math.floor(left / 128)) this.#bytes[this.#at++] = (left & 0x7f) | 0x80;
    this.#bytes[this.#at++] = left;
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + more));
    larger.set(this.done());
    this.#bytes = larger;
  }
}
