/** The dialog above the page, isolated from the page's scripts and styles. */

const panelStyle = `
  dialog { box-sizing: border-box; width: min(30rem, calc(100vw - 2rem)); padding: 1.5rem; border: 0; border-radius: 14px;
    color: #14211d; background: #fff; font: 16px/1.5 system-ui, sans-serif; box-shadow: 0 12px 48px rgb(0 0 0 / 35%); }
  dialog::backdrop { background: #0b3b2f; }
  h1 { margin: 0 0 .75rem; font-size: 1.25rem; line-height: 1.3; }
  p { margin: 0 0 .75rem; overflow-wrap: anywhere; }
  .lead { font-weight: 600; }
  .warning { padding: .75rem; border-radius: 8px; background: #fff4d6; color: #4d3800; }
  .actions { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1.25rem; }
  .actions:empty { display: none; }
  button { padding: .6rem 1.1rem; border: 1px solid #0b7a5f; border-radius: 8px; font: inherit; color: #0b7a5f; background: #fff; cursor: pointer; }
  button:first-child { color: #fff; background: #0b7a5f; }
  button:focus-visible { outline: 3px solid #f2b705; outline-offset: 2px; }
  @media (prefers-color-scheme: dark) {
    dialog { color: #e7f2ee; background: #16231f; }
    .warning { background: #3d3210; color: #ffe9a8; }
    button { color: #8be0c4; background: transparent; border-color: #8be0c4; }
    button:first-child { color: #06231b; background: #8be0c4; }
  }`;

const make = (tag, text, className = '') => {
  const element = document.createElement(tag);
  element.textContent = text;
  element.className = className;
  return element;
};

/** Opens the dialog. `show` resolves to the label of the button that was pressed. */
const openPanel = () => {
  const host = document.createElement('handset-passkey');
  const root = host.attachShadow({ mode: 'closed' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(panelStyle);
  root.adoptedStyleSheets = [sheet];
  const dialog = document.createElement('dialog');
  const body = make('div', '');
  body.setAttribute('aria-live', 'polite');
  const actions = make('div', '', 'actions');
  const title = make('h1', words.title);
  title.id = 'title';
  dialog.setAttribute('aria-labelledby', 'title');
  dialog.append(title, body, actions);
  // Escape would leave a blank page.
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  root.append(dialog);
  document.body.append(host);
  dialog.showModal();
  return {
    show(paragraphs, buttons = []) {
      body.replaceChildren(...paragraphs.map(({ text, className }) => make('p', text, className)));
      return new Promise((resolve) => {
        actions.replaceChildren(
          ...buttons.map((label) => {
            const button = make('button', label);
            button.addEventListener('click', () => resolve(label));
            return button;
          }),
        );
        // Focuses Cancel, the last button, so that a stray key press does no harm.
        actions.lastChild?.focus();
      });
    },
  };
};
