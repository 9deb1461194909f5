/** Sender keys in both forms, like sessions (`session-forms.ts`). */
import { BufferJSON } from '../library/protocol.ts';
import { lengthDelimited, varintField } from '../signal/session-record.ts';
import {
  maxMessageKeys,
  counted,
  isObject,
  objectIn,
  integerIn,
  bytesIn,
  countedOf,
  type Fields,
  parsed,
  read,
} from './session-forms.ts';

const groupState = { id: 1, chainKey: 2, signingKey: 3, messageKey: 4 } as const;

/** To the bridge's form. Throws TypeError or SyntaxError. */
export const senderKeyFromLibsignal = (bytes: Uint8Array): Uint8Array => {
  const states = parsed(bytes);
  if (!Array.isArray(states)) throw new TypeError('the keys of a member are no list');
  const all = states.filter(isObject).map((each) => {
    const [chainKey, signingKey] = [objectIn(each, 'senderChainKey'), objectIn(each, 'senderSigningKey')];
    const publicKey = bytesIn(signingKey, 'public', 32, 33);
    const secret = bytesIn(signingKey, 'private', 0, 32);
    const skipped = Array.isArray(each.senderMessageKeys) ? each.senderMessageKeys.filter(isObject) : [];
    return Buffer.concat([
      varintField(groupState.id, integerIn(each, 'senderKeyId')),
      lengthDelimited(groupState.chainKey, countedOf(integerIn(chainKey, 'iteration'), bytesIn(chainKey, 'seed', 32))),
      lengthDelimited(
        groupState.signingKey,
        Buffer.concat([
          lengthDelimited(1, publicKey.length === 33 ? publicKey : Buffer.concat([Uint8Array.of(5), publicKey])),
          ...(secret.length > 0 ? [lengthDelimited(2, secret)] : []),
        ]),
      ),
      ...skipped
        .slice(-maxMessageKeys)
        .map((key) =>
          lengthDelimited(groupState.messageKey, countedOf(integerIn(key, 'iteration'), bytesIn(key, 'seed', 32))),
        ),
    ]);
  });
  // libsignal-node has the newest last, the bridge first.
  return Buffer.concat(all.toReversed().map((each) => lengthDelimited(1, each)));
};

const seedOf = (value: Fields | undefined) => ({
  iteration: value?.number(counted.index) ?? 0,
  seed: Buffer.from(value?.bytes(counted.key) ?? new Uint8Array()),
});

export const senderKeyToLibsignal = (record: Uint8Array): Buffer => {
  const states = read(record)
    .all(1)
    .map((each) => {
      const [[chainKey], [signingKey]] = [each.all(groupState.chainKey), each.all(groupState.signingKey)];
      return {
        senderKeyId: each.number(groupState.id),
        senderChainKey: seedOf(chainKey),
        senderSigningKey: {
          public: Buffer.from(signingKey?.bytes(1) ?? new Uint8Array()),
          private: Buffer.from(signingKey?.bytes(2) ?? new Uint8Array()),
        },
        senderMessageKeys: each.all(groupState.messageKey).map(seedOf),
      };
    });
  return Buffer.from(JSON.stringify(states.toReversed(), BufferJSON.replacer));
};
