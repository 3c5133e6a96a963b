// HTML. Whatever comes from elsewhere is escaped by `html`, so that nobody's name becomes a part of the page.
import { randomUUID } from 'node:crypto';
import { sessionOf } from './sessions.js';

/** Text that is HTML already. */
class Html {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }
}

const escaped = (/** @type {unknown} */ value) =>
  String(value).replaceAll(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);

/** @param {unknown} value @returns {string} */
function part(value) {
  if (value instanceof Html) return String(value);
  if (Array.isArray(value)) return value.map(part).join('');
  return value === undefined || value === null || value === false ? '' : escaped(value);
}

/**
 * A template whose values are escaped, but for what this function made. Put values between quotation marks in attributes.
 * @param {TemplateStringsArray} strings @param {unknown[]} values
 */
export const html = (strings, ...values) =>
  new Html(strings.reduce((text, string, index) => text + part(values[index - 1]) + string));

/**
 * Answers with a page.
 * @param {import('express').Request} request @param {import('express').Response} response
 * @param {string} title @param {Html} content
 */
export function show(request, response, title, content, status = 200) {
  const session = sessionOf(request);
  const { notice, consumer, cart } = session;
  session.notice = undefined;
  const inCart = [...cart.values()].reduce((sum, count) => sum + count, 0);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${status >= 400 && 'Problem: '}${title} · Leaf &amp; Kettle</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <header>
          <a class="name" href="/">Leaf &amp; Kettle</a>
          <nav aria-label="Shop">
            <a href="/cart">Cart (${inCart})</a>
            ${
              consumer
                ? html`<a href="/profile">Profile</a>
                    <form method="post" action="/logout"><button class="link">Sign out</button></form>`
                : html`<a href="/login">Sign in</a> <a href="/register">Register</a>`
            }
          </nav>
        </header>
        <main>
          ${notice && html`<p class="notice" role="status">${notice}</p>`}
          <h1>${title}</h1>
          ${content}
        </main>
        <footer>An example shop. Nothing here is for sale.</footer>
      </body>
    </html>`;
  response.status(status).type('html').send(String(page));
}

/**
 * @typedef {object} Field
 * @property {string} name as the service names it, so that its refusals find the field
 * @property {string} label
 * @property {string} [type]
 * @property {string} [autocomplete] lets browsers and password managers help
 * @property {string} [hint]
 * @property {boolean} [optional]
 * @property {string | null} [value]
 */

/**
 * A form, shown again with what the shopper typed and what is wrong with it. Passwords and codes are typed anew. Its
 * `key` is the Idempotency-Key of the call: a form that is sent twice acts once.
 * @param {string} action @param {string} button @param {Field[]} fields
 * @param {{ sentence: string, fields: Record<string, string> }} [problem] @param {Record<string, string>} [typed]
 */
export const form = (action, button, fields, problem, typed = {}) =>
  html` <form class="fields" method="post" action="${action}">
    ${problem && html`<p class="problem" role="alert">${problem.sentence}</p>`}
    <input type="hidden" name="key" value="${randomUUID()}" />
    ${fields.map((field) => fieldOf(field, problem?.fields[field.name], typed[field.name]))}
    <button>${button}</button>
  </form>`;

/** @param {Field} field @param {string | undefined} wrong @param {string | undefined} typed */
function fieldOf({ name, label, type = 'text', autocomplete = 'off', hint, optional = false, value }, wrong, typed) {
  const shown = type === 'password' || autocomplete === 'one-time-code' ? '' : (typed ?? value ?? '');
  if (type === 'hidden') return html`<input type="hidden" name="${name}" value="${value ?? ''}" />`;
  const said = [wrong && `${name}-problem`, hint && `${name}-hint`].filter(Boolean).join(' ');
  return html` <div class="field">
    <label for="${name}">${label}${optional && ' (optional)'}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      value="${shown}"
      ${!optional && html`required`}
      ${wrong && html`aria-invalid="true"`}
      ${said && html`aria-describedby="${said}"`}
      ${autocomplete === 'one-time-code' && html`inputmode="numeric"`}
      ${autocomplete === 'username' && html`autocapitalize="none" spellcheck="false"`}
    />
    ${wrong && html`<p class="wrong" id="${name}-problem">${wrong}</p>`}
    ${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
  </div>`;
}
