/** `GET /me` (docs/spec/users.md, Users): the caller's limits and use. */
import { operation } from '../wire/operation.ts';
import { ServiceSchema, UserSchema, userView } from '../schemas/account.ts';
import { clientVersionView } from '../schemas/client-version.ts';
import { networkReachView, unknownReach } from '../schemas/network-reach.ts';
import { answer, ok } from '../wire/build.ts';

export const getMe = operation({
  id: 'getMe',
  method: 'GET',
  path: '/me',
  tag: 'Account',
  summary: 'Retrieve the caller, with limits and usage',
  answer: answer({ user: UserSchema, service: ServiceSchema }),
  errors: [401, 408, 429, 500],
  async run({ parts, caller: { user } }) {
    const { version, sandboxControlUrl, rateLimit } = parts.options;
    const activeDevices = await parts.users.countActiveDevices(user.id);
    const network: 'whatsapp' | 'sandbox' = sandboxControlUrl === null ? 'whatsapp' : 'sandbox';
    const client = parts.clientVersion === undefined ? null : clientVersionView(parts.clientVersion());
    return {
      user: userView(user, activeDevices, rateLimit),
      service: {
        version,
        network,
        sandboxControlUrl,
        client,
        reach: networkReachView(parts.networkReach?.() ?? unknownReach),
      },
      status: ok('User retrieved'),
    };
  },
});
