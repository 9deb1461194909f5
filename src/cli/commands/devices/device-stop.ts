/** `handset device stop` and `device start`: the session ends and its authentication is kept, or begins again. */
import { type Command, deviceId, flagOption } from '../../command/command.ts';
import { adminOption } from '../../command/operator.ts';

const change = (words: string, summary: string, status: 'active' | 'inactive', done: string): Command => ({
  words,
  summary,
  positionals: ['device'],
  ...adminOption,
  async run({ client, admin, out }, given) {
    const id = deviceId(given);
    const service = flagOption(given, 'admin') ? admin() : client();
    out.value(await service.call('PUT', `/devices/${id}`, { subscription_status: status }));
    out.line(`Device ${id} ${done}`);
  },
});

export const deviceStop = change('device stop', 'Stop a device; its link survives for 30 days', 'inactive', 'stopped');
export const deviceStart = change('device start', 'Start a stopped device again', 'active', 'started');
