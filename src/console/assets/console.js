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

for (const secret of document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(secret.textContent).then(() => {
      button.textContent = 'Copied';
    });
  });
  secret.after(button);
}
