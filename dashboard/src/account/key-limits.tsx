/** What a limited key may do, so that nobody looks for what is not shown or wonders why a program is refused. */
import type { ApiKey } from '../api/types.ts';
import { texts } from '../base/texts.ts';

const words = texts.nav;

export const KeyLimits = ({ devices, actions }: Pick<ApiKey, 'devices' | 'actions'>) => {
  if (devices === null && actions === null) return null;
  const may = actions?.map((action) => words.actions[action]).join(', ') ?? null;
  return <p className="hint">{words.limitedKey(may, devices?.join(', ') ?? null)}</p>;
};
