'use strict';

// Comfort only: every page works without it.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
for (const time of document.querySelectorAll('time')) {
  const distance = new Date(time.dateTime).getTime() - Date.now();
  const [unit, length] = UNITS.find(([, size]) => Math.abs(distance) >= size) ?? ['second', 1000];
  time.title = relative.format(Math.round(distance / length), unit);
}

/** @type {NodeListOf<HTMLElement>} */
const secrets = document.querySelectorAll('[data-copy]');
for (const secret of secrets) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.ariaLabel = `Copy the ${secret.dataset.copy}`;
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(secret.textContent).then(() => {
      button.textContent = 'Copied';
      button.ariaLabel = `Copied the ${secret.dataset.copy}`;
    });
  });
  if (secret.parentElement?.matches('pre')) secret.before(button);
  else secret.after(button);
}

// Asks before what hurts, in the words of the form.
/** @type {NodeListOf<HTMLButtonElement>} */
const dangers = document.querySelectorAll('button.danger');
for (const button of dangers) {
  const form = button.form;
  if (!form) continue;
  form.addEventListener('submit', (event) => {
    if (form.dataset.confirmed === 'yes') return;
    event.preventDefault();
    const dialog = document.createElement('dialog');
    /** @param {string} name @param {string} text */
    const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
    const title = Object.assign(element('h2', button.dataset.question ?? ''), { id: 'asked' });
    const cancel = Object.assign(element('button', 'Cancel'), { type: 'button', autofocus: true });
    const confirm = Object.assign(element('button', button.textContent), { type: 'button', className: 'danger' });
    const consequence = element('p', form.querySelector('.consequence')?.textContent ?? '');
    dialog.setAttribute('aria-labelledby', 'asked');
    dialog.append(title, consequence, cancel, ' ', confirm);
    cancel.addEventListener('click', () => {
      dialog.close();
    });
    confirm.addEventListener('click', () => {
      form.dataset.confirmed = 'yes';
      form.requestSubmit(button);
      delete form.dataset.confirmed;
      dialog.close();
    });
    dialog.addEventListener('close', () => {
      dialog.remove();
      button.focus();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
