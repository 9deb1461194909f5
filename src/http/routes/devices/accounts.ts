/** `GET /accounts` (docs/spec/devices.md, Session): the linked account of each device, a page at a time. */
import { Type } from 'typebox';
import { answer, members, nullableText, ok } from '../../wire/build.ts';
import { nextCursor, pageOf, pageParameters } from '../../schemas/page.ts';
import { operation } from '../../wire/operation.ts';

const LinkedAccountSchema = Type.Object(
  {
    deviceId: Type.Integer(),
    phoneNumber: Type.String(),
    jid: Type.String(),
    lid: nullableText(),
    name: nullableText({ description: 'Name that the account shows to others' }),
    platform: nullableText(),
  },
  { title: 'LinkedAccount' },
);

export const listAccounts = operation({
  id: 'listAccounts',
  method: 'GET',
  path: '/accounts',
  tag: 'Devices',
  summary: 'List the linked accounts of all devices',
  description: 'In the order of the devices. Devices without an account are left out, so a page may be short.',
  query: members(pageParameters),
  answer: answer({ accounts: Type.Array(LinkedAccountSchema), nextCursor }),
  errors: [400, 401, 408, 429, 500],
  async run({ parts, caller: { user }, query }) {
    const { items, nextCursor: next } = await parts.stores.devices.list(user.id, pageOf(query));
    const accounts = items.flatMap(({ id, account }) => (account === null ? [] : [{ deviceId: id, ...account }]));
    return { accounts, nextCursor: next, status: ok('Accounts listed') };
  },
});
