// Comfort only: every page can be read without it.

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {object} [properties]
 * @param {(Node | string)[]} children
 */
const element = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};

/** Says something to who listens to the page. */
const status = element('div', { className: 'unseen' });
status.setAttribute('role', 'status');
document.body.append(status);

addTabs();
addCopyButtons();
addFilter();
addSearch();

/** Shows one language of each group, the same in all groups and on all pages. */
function addTabs() {
  /** @type {{ language: string, tab: HTMLButtonElement, panel: HTMLElement }[][]} */
  const groups = [];
  for (const group of document.querySelectorAll('.tabs')) {
    const list = element('div');
    list.setAttribute('role', 'tablist');
    list.setAttribute('aria-label', 'Language');
    /** @type {NodeListOf<HTMLElement>} */
    const panels = group.querySelectorAll('.code');
    const entries = [...panels].map((panel, index) => {
      const heading = panel.querySelector('.language');
      const language = heading?.textContent ?? '';
      heading?.remove();
      panel.id = `code-${groups.length}-${index}`;
      const tab = element('button', { type: 'button', id: `tab-${groups.length}-${index}` }, language);
      tab.setAttribute('role', 'tab');
      tab.setAttribute('aria-controls', panel.id);
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-labelledby', tab.id);
      tab.addEventListener('click', () => {
        choose(language, tab);
      });
      list.append(tab);
      return { language, tab, panel };
    });
    list.addEventListener('keydown', (event) => {
      const here = entries.findIndex(({ tab }) => tab === document.activeElement);
      const { length } = entries;
      const ways = { ArrowRight: here + 1, ArrowLeft: here - 1 + length, Home: 0, End: length - 1 };
      const target = new Map(Object.entries(ways)).get(event.key);
      if (target === undefined) return;
      event.preventDefault();
      const entry = entries[target % length];
      if (!entry) return;
      choose(entry.language, entry.tab);
      entry.tab.focus();
    });
    group.prepend(list);
    groups.push(entries);
  }
  show(remembered() ?? '');

  /** @param {string} language @param {HTMLElement} tab */
  function choose(language, tab) {
    const before = tab.getBoundingClientRect().top;
    show(language);
    // Groups above may have become longer or shorter.
    scrollBy(0, tab.getBoundingClientRect().top - before);
    try {
      localStorage.setItem('language', language);
    } catch {
      // Where nothing can be kept, the choice holds for this page.
    }
  }

  /** @param {string} language */
  function show(language) {
    for (const entries of groups) {
      const chosen = entries.find((entry) => entry.language === language) ?? entries[0];
      for (const entry of entries) {
        const isChosen = entry === chosen;
        entry.panel.hidden = !isChosen;
        entry.tab.setAttribute('aria-selected', String(isChosen));
        entry.tab.tabIndex = isChosen ? 0 : -1;
      }
    }
  }
}

function remembered() {
  try {
    return localStorage.getItem('language');
  } catch {
    return null;
  }
}

function addCopyButtons() {
  // Browsers have it only where the page came encrypted, or from this machine.
  if (!('clipboard' in navigator)) return;
  for (const code of document.querySelectorAll('.code code:not(.language-http)')) {
    const button = element('button', { type: 'button', className: 'copy' }, 'Copy');
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(code.textContent).then(() => {
        button.textContent = 'Copied';
        status.textContent = 'Copied';
        setTimeout(() => {
          button.textContent = 'Copy';
          status.textContent = '';
        }, 2000);
      });
    });
    code.closest('.code')?.append(button);
  }
}

/** Narrows the table of a page whose `main` says so. */
function addFilter() {
  const main = document.querySelector('main');
  /** @type {HTMLElement | null | undefined} */
  const table = main?.querySelector('.scroll');
  const label = main?.dataset.filter;
  if (!table || !label) return;
  const input = element('input', { type: 'search', id: 'filter', autocomplete: 'off' });
  const count = element('output', { htmlFor: 'filter' });
  /** @type {HTMLTableRowElement[]} */
  const rows = [...table.querySelectorAll('tbody tr')].map((row) => /** @type {HTMLTableRowElement} */ (row));
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    const left = rows.filter((row) => !row.hidden).length;
    table.hidden = left === 0;
    count.textContent = left === 0 ? 'Nothing matches.' : `${left} of ${rows.length}`;
  });
  table.before(element('div', { className: 'filter' }, element('label', { htmlFor: 'filter' }, label), input, count));
}

/** The index and the library are loaded when somebody searches. */
function addSearch() {
  /** @type {HTMLElement | null} */
  const box = document.querySelector('.search');
  if (!box) return;
  const label = element('label', { htmlFor: 'search', className: 'unseen' }, 'Search the documentation');
  const input = element('input', { type: 'search', id: 'search', placeholder: 'Search', autocomplete: 'off' });
  const results = element('div', { className: 'results', id: 'results', hidden: true });
  input.setAttribute('aria-controls', results.id);
  box.append(label, input, results);
  box.hidden = false;

  const links = () => [...results.querySelectorAll('a')];
  const module = () => import('./search.js');
  input.addEventListener('focus', () => void module().then(({ loadIndex }) => loadIndex()));
  input.addEventListener('input', () => {
    const query = input.value.trim();
    void module().then(async ({ find }) => {
      const found = query === '' ? [] : await find(query);
      // Something else has been typed meanwhile.
      if (query !== input.value.trim()) return;
      const entries = found.map(({ address, title, page, excerpt }) =>
        element('a', { href: address }, element('b', {}, title), element('small', {}, `${page}${excerpt}`)),
      );
      results.replaceChildren(...(entries.length > 0 ? entries : [element('p', {}, 'Nothing was found.')]));
      results.hidden = query === '';
      status.textContent = query === '' ? '' : `${found.length} found`;
    });
  });
  box.addEventListener('keydown', (event) => {
    const here = links().indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
    if (event.key === 'Escape') {
      // The focus shows what was found.
      input.focus();
      results.hidden = true;
    } else if (event.key === 'Enter' && here === -1) {
      links()[0]?.click();
    } else if (event.key === 'ArrowDown') {
      links()[here + 1]?.focus();
    } else if (event.key === 'ArrowUp') {
      (here <= 0 ? input : links()[here - 1])?.focus();
    } else return;
    event.preventDefault();
  });
  box.addEventListener('focusout', ({ relatedTarget }) => {
    if (!box.contains(/** @type {Node | null} */ (relatedTarget))) results.hidden = true;
  });
  input.addEventListener('focus', () => {
    results.hidden = input.value.trim() === '';
  });
  // A link to a place on this page leaves the box open.
  results.addEventListener('click', () => {
    results.hidden = true;
  });
}
