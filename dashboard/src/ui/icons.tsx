/** Inline SVG icons. All but the ticks are decorative. */
import type { ReactNode } from 'react';

export const Logo = () => (
  <svg className="logo" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="9" />
    <path d="M10 7.5h2.8v7h6.4v-7H22v17h-2.8v-7.2h-6.4v7.2H10z" />
  </svg>
);

const Line = ({ children }: { readonly children: ReactNode }) => (
  <svg className="line-icon" viewBox="0 0 24 24" aria-hidden="true">
    {children}
  </svg>
);

export const icons = {
  devices: (
    <Line>
      <rect x="7" y="3" width="10" height="18" rx="2.5" />
      <path d="M11 18h2" />
    </Line>
  ),
  search: (
    <Line>
      <circle cx="11" cy="11" r="6" />
      <path d="m16 16 4 4" />
    </Line>
  ),
  keys: (
    <Line>
      <circle cx="8" cy="15" r="4" />
      <path d="m11 12 8-8m-3 3 3 3" />
    </Line>
  ),
  webhooks: (
    <Line>
      <path d="M4 12h9m-4-4 4 4-4 4" />
      <path d="M15 5h3a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2h-3" />
    </Line>
  ),
  suppressions: (
    <Line>
      <circle cx="12" cy="12" r="8.5" />
      <path d="m6 6 12 12" />
    </Line>
  ),
  usage: (
    <Line>
      <path d="M5 20v-7m5 7V8m5 12v-9m5 9V4" />
    </Line>
  ),
  docs: (
    <Line>
      <path d="M6 3h9l4 4v14H6zM15 3v4h4M9 12h7M9 16h7" />
    </Line>
  ),
  image: (
    <Line>
      <rect x="3" y="5" width="18" height="14" rx="2.5" />
      <path d="m4 17 5-5 4 4 3-3 5 4" />
    </Line>
  ),
  phone: (
    <Line>
      <path d="M5 4h4l2 5-2.5 1.5a11 11 0 0 0 5 5L15 13l5 2v4a1 1 0 0 1-1 1A16 16 0 0 1 4 5a1 1 0 0 1 1-1z" />
    </Line>
  ),
  place: (
    <Line>
      <path d="M12 21s7-6.2 7-11.5a7 7 0 0 0-14 0C5 14.8 12 21 12 21z" />
      <circle cx="12" cy="9.5" r="2.5" />
    </Line>
  ),
  person: (
    <Line>
      <circle cx="12" cy="8" r="4" />
      <path d="M4.5 20.5a7.5 7.5 0 0 1 15 0" />
    </Line>
  ),
  group: (
    <Line>
      <circle cx="9" cy="9" r="3.5" />
      <path d="M2.5 19.5a6.5 6.5 0 0 1 13 0M15.5 5.9a3.5 3.5 0 0 1 0 6.2m2.5 2.2a6.5 6.5 0 0 1 3.5 5.2" />
    </Line>
  ),
  calendar: (
    <Line>
      <rect x="4" y="5" width="16" height="15.5" rx="2.5" />
      <path d="M4 10h16M8.5 3v4m7-4v4" />
    </Line>
  ),
  poll: (
    <Line>
      <path d="M5 6h14M5 12h9M5 18h5" />
    </Line>
  ),
  file: (
    <Line>
      <path d="M6 3h8l4 4v14H6zM14 3v4h4" />
    </Line>
  ),
  play: (
    <Line>
      <path className="filled" d="M8 5.5v13l10.5-6.5z" />
    </Line>
  ),
  pause: (
    <Line>
      <path className="filled" d="M7.5 6h2.5v12H7.5zM14 6h2.5v12H14z" />
    </Line>
  ),
  pin: (
    <Line>
      <path d="M9 4h6l-1 6 3 3.5H7L10 10zM12 13.5V20" />
    </Line>
  ),
  timer: (
    <Line>
      <circle cx="12" cy="13" r="7.5" />
      <path d="M12 9v4l2.5 2M9.5 2.5h5" />
    </Line>
  ),
  clock: (
    <Line>
      <circle cx="12" cy="12" r="8" />
      <path d="M12 7.5V12l3 2" />
    </Line>
  ),
  label: (
    <Line>
      <path d="M4 11V4h7l9 9-7 7z" />
      <circle cx="8" cy="8" r="1" />
    </Line>
  ),
  star: (
    <Line>
      <path d="m12 4 2.4 5 5.4.7-4 3.8 1 5.4L12 16.3 7.2 18.9l1-5.4-4-3.8 5.4-.7z" />
    </Line>
  ),
  deleteForMe: (
    <Line>
      <path d="M5 7h14M9.5 7V4.5h5V7M7 7l1 13h8l1-13" />
    </Line>
  ),
  microphone: (
    <Line>
      <rect x="9" y="3" width="6" height="11" rx="3" />
      <path d="M5.5 11.5a6.5 6.5 0 0 0 13 0M12 18v3" />
    </Line>
  ),
  plus: (
    <Line>
      <path d="M12 5v14M5 12h14" />
    </Line>
  ),
  dots: (
    <Line>
      <path d="M12 5.5v.01M12 12v.01M12 18.5v.01" strokeWidth="3" />
    </Line>
  ),
  back: (
    <Line>
      <path d="m14 6-6 6 6 6" />
    </Line>
  ),
  archive: (
    <Line>
      <path d="M3.5 5h17v4h-17zM5 9v10.5h14V9M10 13h4" />
    </Line>
  ),
  mute: (
    <Line>
      <path d="M6 16V11a6 6 0 0 1 9.5-4.9M18 10v6l1.5 2H8M10.5 21h3M4 4l16 16" />
    </Line>
  ),
  unread: (
    <Line>
      <path d="M20 12.5A8 8 0 0 1 8.5 19L4 20l1-4.5A8 8 0 0 1 12 4" />
      <circle cx="18.5" cy="6" r="2" />
    </Line>
  ),
  more: (
    <Line>
      <path d="m7 10 5 5 5-5" />
    </Line>
  ),
  reply: (
    <Line>
      <path d="M10 6 4 12l6 6M4.5 12H14a6 6 0 0 1 6 6" />
    </Line>
  ),
  react: (
    <Line>
      <circle cx="12" cy="12" r="8.5" />
      <path d="M8.5 14.5a4.5 4.5 0 0 0 7 0M9 9.5v.5m6-.5v.5" />
    </Line>
  ),
  copy: (
    <Line>
      <rect x="8" y="8" width="12" height="12" rx="2.5" />
      <path d="M16 8V6.5A2.5 2.5 0 0 0 13.5 4h-7A2.5 2.5 0 0 0 4 6.5v7A2.5 2.5 0 0 0 6.5 16H8" />
    </Line>
  ),
  edit: (
    <Line>
      <path d="m5 15-1 5 5-1L19.5 8.5l-4-4zM13 7l4 4" />
    </Line>
  ),
  forward: (
    <Line>
      <path d="m14 6 6 6-6 6M19.5 12H10a6 6 0 0 0-6 6" />
    </Line>
  ),
  delete: (
    <Line>
      <path d="M5 7h14M9.5 7V4.5h5V7M7 7l1 13h8l1-13M10.5 11v5.5m3-5.5v5.5" />
    </Line>
  ),
} as const;

/** One tick: sent; two: delivered; two coloured: read. */
export const Ticks = ({ state, label }: { readonly state: string; readonly label: string }) => (
  <svg className={`ticks ${state}`} viewBox="0 0 22 12" role="img" aria-label={label}>
    {state === 'failed' && <path d="M7 2l8 8m0-8-8 8" />}
    {state === 'pending' && (
      <>
        <circle cx="11" cy="6" r="4.5" />
        <path d="M11 3.5V6l1.5 1" />
      </>
    )}
    {(state === 'delivered' || state === 'read') && <path d="m2 6.5 3.5 3.5L12 2.5" />}
    {(state === 'accepted' || state === 'delivered' || state === 'read') && <path d="m8.5 8.5 1.5 1.5L16.5 2.5" />}
  </svg>
);
