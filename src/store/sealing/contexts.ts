/**
 * Every sealed column, except the markers in `meta`, with the context of its envelopes: a name, and the columns that tell its row from
 * others. A test compares them with the schema.
 */
export const contexts = {
  'devices.account': 'devices.account/id',
  'devices.proxy': 'devices.proxy/id',
  'devices.sealed_settings': 'devices.sealed_settings/id',
  'credentials.value': 'credentials/device_id',
  'signal_keys.value': 'signal_keys/device_id/type/id_hash',
  'inbox.plaintext': 'inbox/device_id/key',
  'messages.data': 'messages.data/device_id/chat_hash/id',
  'messages.content': 'messages.content/device_id/chat_hash/id',
  'kept_media.pieces': 'kept_media.pieces/message_n',
  'idempotency.answer': 'idempotency.answer/device_id/key_hash',
  'creations.answer': 'creations.answer/user_id/key_hash',
  'scheduled.data': 'scheduled/device_id/message_id',
  'scheduled_files.data': 'scheduled/device_id/message_id/piece',
  'statuses.data': 'statuses.data/device_id/status_id',
  'statuses.content': 'statuses.content/device_id/status_id',
  'statuses.audience': 'statuses.audience/device_id/status_id',
  'status_viewers.data': 'status_viewers/device_id/status_id/person_hash',
  'annotations.data': 'annotations/device_id/message_id/chat_hash/kind/person_hash',
  'app_state.data': 'app_state/device_id/kind/jid_hash',
  'groups.data': 'groups/device_id/jid_hash',
  'suppressions.data': 'suppressions/user_id/number_hash/lid_hash',
  'labels.data': 'labels/device_id/id',
  'chats.data': 'chats.data/device_id/jid_hash',
  'chats.name': 'chats.name/device_id/jid_hash',
  'contacts.data': 'contacts.data/device_id/jid_hash',
  'contacts.saved': 'contacts.saved/device_id/jid_hash',
  'contacts.push_name': 'contacts.push_name/device_id/jid_hash',
  'contacts.business_name': 'contacts.business_name/device_id/jid_hash',
  'contacts.about': 'contacts.about/device_id/jid_hash',
  'contacts.picture': 'contacts.picture/device_id/jid_hash',
  'events.data': 'events/device_id/seq',
  'deliveries.last_detail': 'deliveries/device_id/seq/webhook_id',
  'attempts.detail': 'attempts/device_id/seq/at/webhook_id',
  'webhooks.data': 'webhooks.data/id',
  'chat_turns.data': 'chat_turns/device_id/chat_hash',
  'leases.memo': 'leases.memo/device_id',
} as const;

type SealedColumn = keyof typeof contexts;
type Names<Path extends string> = Path extends `${infer Name}/${infer More}` ? Name | Names<More> : Path;
type NamesOf<C extends SealedColumn> = (typeof contexts)[C] extends `${string}/${infer Path}` ? Names<Path> : never;

const parts = new Map<string, readonly string[]>(
  Object.entries(contexts).map(([column, context]) => [column, context.split('/')]),
);

export const contextIn = (column: string, row: Readonly<Record<string, unknown>>): string => {
  const [name, ...columns] = parts.get(column)!;
  const values: unknown[] = [name];
  for (const each of columns) values.push(row[each]);
  return values.join('/');
};

/** As `contextIn`, of a column that the compiler knows. */
export const contextOf = <C extends SealedColumn>(
  column: C,
  row: Readonly<Record<NamesOf<C>, string | number | null>>,
): string => contextIn(column, row);
