/** A new key's secret, which is shown only once. */
import { texts } from '../base/texts.ts';
import { CopyButton } from './parts.tsx';

export const SecretOnce = ({ secret }: { readonly secret: string }) => (
  <>
    <p>{texts.keys.once}</p>
    <p className="row secret">
      <code data-secret="">{secret}</code>
      <CopyButton text={secret} />
    </p>
  </>
);
