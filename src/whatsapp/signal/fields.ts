/** Protobuf by its fields, as far as Signal's messages and records need it: numbers and bytes, without a copy. */

const varint = 0;
const delimited = 2;

/** Goes through the fields of a message one after the other. Throws RangeError on bytes that are not one. */
export class Fields {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  /** Where the next field begins. */
  #at: number;
  /** Of the field that was read last. */
  number = 0;
  isBytes = false;
  /** Of a number; of bytes their length. */
  value = 0;
  /** Where its bytes are, or its number. */
  from = 0;
  to = 0;

  constructor(bytes: Uint8Array, from = 0, to = bytes.length) {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = to;
  }

  /** False behind the last field. */
  next(): boolean {
    if (this.#at >= this.#end) return false;
    const tag = this.#varint();
    const kind = tag % 8;
    if (kind !== varint && kind !== delimited) throw new RangeError(`Unexpected wire type ${kind}`);
    this.number = Math.floor(tag / 8);
    this.isBytes = kind === delimited;
    if (!this.isBytes) this.from = this.#at;
    this.value = this.#varint();
    if (this.isBytes) {
      if (this.value > this.#end - this.#at) throw new RangeError('Truncated message');
      this.from = this.#at;
      this.#at += this.value;
    }
    this.to = this.#at;
    return true;
  }

  #varint(): number {
    const bytes = this.#bytes;
    let value = 0;
    for (let factor = 1; factor < 2 ** 70; factor *= 128) {
      if (this.#at >= this.#end) throw new RangeError('Truncated message');
      const byte = bytes[this.#at++]!;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw new RangeError('Malformed varint');
  }
}
