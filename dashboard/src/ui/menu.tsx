/** A button that opens a menu, as the WAI-ARIA pattern says: arrow keys and first letters move, Escape closes and gives the focus back. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';

const gap = 4;

/** Below the button, or above it where there is no room; towards the middle of the page. */
const place = (menu: HTMLElement, button: HTMLElement): void => {
  const at = button.getBoundingClientRect();
  const below = at.bottom + gap;
  const top = below + menu.offsetHeight > innerHeight ? at.top - gap - menu.offsetHeight : below;
  const left = at.left < innerWidth / 2 ? at.left : at.right - menu.offsetWidth;
  menu.style.top = `${Math.max(gap, top)}px`;
  menu.style.left = `${Math.max(gap, left)}px`;
};

const itemsOf = (menu: HTMLElement): readonly HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]'),
];

/** The next item that begins with a character, as in the menus of systems. */
const startingWith = (items: readonly HTMLElement[], current: number, key: string): HTMLElement | undefined => {
  if (key.length !== 1 || key === ' ') return undefined;
  const begins = ({ textContent }: HTMLElement): boolean =>
    textContent.trim().toLowerCase().startsWith(key.toLowerCase());
  return [...items.slice(current + 1), ...items.slice(0, current + 1)].find(begins);
};

const step = (menu: HTMLElement, { key }: KeyboardEvent): HTMLElement | undefined => {
  const items = itemsOf(menu);
  const current = items.findIndex((item) => item === document.activeElement);
  switch (key) {
    case 'ArrowDown':
    case 'ArrowRight':
      return items[(current + 1) % items.length];
    case 'ArrowUp':
    case 'ArrowLeft':
      return items.at(current - 1);
    case 'Home':
      return items[0];
    case 'End':
      return items.at(-1);
    default:
      return startingWith(items, current, key);
  }
};

interface ListProps {
  readonly label: string;
  readonly id: string;
  readonly button: HTMLElement | null;
  readonly close: () => void;
  readonly children: ReactNode;
}

const List = ({ label, id, button, close, children }: ListProps) => {
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = menu.current;
    if (element === null || button === null) return;
    element.showPopover();
    place(element, button);
    itemsOf(element)[0]?.focus();
    const hide = (): void => element.hidePopover();
    /** Only what moves the button leaves the menu behind. */
    const scrolled = ({ target }: Event): void => {
      if (target instanceof Node && target.contains(button)) hide();
    };
    addEventListener('resize', hide);
    document.addEventListener('scroll', scrolled, { capture: true });
    return () => {
      removeEventListener('resize', hide);
      document.removeEventListener('scroll', scrolled, { capture: true });
    };
  }, [button]);
  return (
    <div
      ref={menu}
      id={id}
      popover="auto"
      role="menu"
      aria-label={label}
      className="menu"
      // `toggle` comes later, when the button may have been pressed again.
      onBeforeToggle={({ newState }) => newState === 'closed' && close()}
      onClick={() => menu.current?.hidePopover()}
      onKeyDown={(pressed) => {
        if (pressed.key === 'Tab') menu.current?.hidePopover();
        const next = menu.current === null ? undefined : step(menu.current, pressed);
        if (next === undefined) return;
        pressed.preventDefault();
        next.focus();
      }}
    >
      {children}
    </div>
  );
};

interface ItemProps {
  readonly act: () => void;
  readonly children: ReactNode;
  readonly danger?: boolean;
  readonly icon?: ReactNode;
}

export const MenuItem = ({ act, children, icon, danger = false }: ItemProps) => (
  <button type="button" role="menuitem" tabIndex={-1} className={danger ? 'danger-item' : ''} onClick={act}>
    {icon}
    {children}
  </button>
);

interface Props {
  readonly label: string;
  readonly icon: ReactNode;
  readonly className: string;
  readonly disabled?: boolean;
  /** The items; rendered only while the menu is open. */
  readonly children: () => ReactNode;
}

export const Menu = ({ label, icon, className, disabled = false, children }: Props) => {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={open}
        disabled={disabled}
        onClick={() => setOpen(true)}
      >
        {icon}
      </button>
      {open && (
        <List id={id} label={label} button={button.current} close={() => setOpen(false)}>
          {children()}
        </List>
      )}
    </>
  );
};
