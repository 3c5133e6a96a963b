const LIBRARY = './minisearch.js';
const INDEX = '/docs/assets/search.json';
const MOST = 8;
/** How much text is shown of what was found, in characters. */
const EXCERPT = 120;

/** @typedef {{ id: number, address: string, page: string, title: string, text: string }} Entry */
/** @typedef {Omit<Entry, 'id' | 'text'> & { excerpt: string }} Found */

/** @type {Promise<{ index: import('minisearch').default<Entry>, entries: Entry[] }> | undefined} */
let loading;

/** Once for all searches of a page. */
export function loadIndex() {
  loading ??= load();
  return loading;
}

async function load() {
  const [{ default: MiniSearch }, entries] = await Promise.all([
    /** @type {Promise<typeof import('minisearch')>} */ (import(LIBRARY)),
    fetch(INDEX).then((response) => /** @type {Promise<Entry[]>} */ (response.json())),
  ]);
  /** @type {import('minisearch').default<Entry>} */
  const index = new MiniSearch({
    fields: ['title', 'page', 'text'],
    processTerm: stemOf,
    searchOptions: {
      ...{ prefix: true, fuzzy: 0.2, combineWith: 'AND', boost: { title: 6, page: 2 } },
      boostDocument: (id) => weightOf(entries[Number(id)]),
    },
  });
  index.addAll(entries);
  return { index, entries };
}

/**
 * What the forms of a word have in common: `forgotten` and `forgot`, `codes` and `code`.
 * @param {string} term
 */
function stemOf(term) {
  const singular = term
    .toLowerCase()
    .replace(/(ss|sh|ch|x)es$/, '$1')
    .replace(/([^s])s$/, '$1');
  const base = singular.replace(/(?<=.{4})(?:en|ed|ing)$/, '').replace(/([^aeiouls])\1$/, '$1');
  return base.replace(/(?<=.{3})e$/, '');
}

/**
 * Where two fit alike, a page comes before a part of one, and that before an error.
 * @param {Entry | undefined} entry
 */
function weightOf(entry) {
  if (entry?.address.startsWith('/docs/errors/')) return 0.8;
  return entry?.address.includes('#') ? 1 : 1.2;
}

/**
 * The headings that fit best, with what stands around the first word that was found.
 * @param {string} query
 * @returns {Promise<Found[]>}
 */
export async function find(query) {
  const { index, entries } = await loadIndex();
  return index
    .search(query)
    .slice(0, MOST)
    .flatMap(({ id, terms }) => {
      const entry = entries[Number(id)];
      if (!entry) return [];
      const { address, page, title, text } = entry;
      return [{ address, page, title, excerpt: excerptOf(text, terms) }];
    });
}

/** @param {string} text @param {string[]} terms */
function excerptOf(text, terms) {
  const places = terms.map((term) => text.toLowerCase().indexOf(term)).filter((place) => place >= 0);
  const first = Math.min(...places);
  if (text === '' || places.length === 0) return text === '' ? '' : ` · ${text.slice(0, EXCERPT)}`;
  const from = Math.max(0, text.lastIndexOf(' ', Math.max(0, first - EXCERPT / 3)));
  return ` · ${from > 0 ? '…' : ''}${text.slice(from, from + EXCERPT)}…`;
}
