/** Pictures that are shown without a click: small ones, once they come into view, while requests are left for other things. */
import { type RefObject, useEffect, useRef } from 'react';
import { useAccount } from '../../../account/account.tsx';
import type { Message } from '../../../api/message.ts';
import { useLatest } from '../../../api/hooks.ts';
import type { LoadedFile } from './use-file.ts';

const mostBytes = 2_000_000;

/** Half of the requests of a minute stay for what people press. */
const isAffordable = (rate: ReturnType<typeof useAccount>['client']['rate']): boolean =>
  rate === null || rate.resetsAt < Date.now() || rate.remaining > rate.limit / 2;

/** Watches what stands in the place of the picture. A picture that cannot be loaded stays to be asked for. */
export const useInline = ({ media }: Message, file: LoadedFile): RefObject<HTMLDivElement | null> => {
  const { client } = useAccount();
  const place = useRef<HTMLDivElement>(null);
  const bytes = media?.bytes ?? null;
  const isWanted = file.url === null && bytes !== null && bytes <= mostBytes;
  const load = useLatest(() => {
    if (isAffordable(client.rate)) file.load().catch(() => undefined);
  });
  useEffect(() => {
    if (!isWanted || place.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      load();
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isWanted, load]);
  return place;
};
