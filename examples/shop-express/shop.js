// Products and a cart: what your own shop has already.
import { Router } from 'express';
import { html, show } from './pages.js';
import { keptSession, sessionOf } from './sessions.js';

const PRODUCTS = [
  { id: 'assam', name: 'Assam Morning', about: 'Malty and strong, for milk.', cents: 890 },
  { id: 'sencha', name: 'Sencha Green', about: 'Fresh as cut grass, from Uji.', cents: 1250 },
  { id: 'oolong', name: 'Oolong Amber', about: 'Roasted, with a note of honey.', cents: 1490 },
  { id: 'rooibos', name: 'Rooibos Evening', about: 'Mild and red, without caffeine.', cents: 690 },
  { id: 'kettle', name: 'Iron Kettle', about: 'Holds its heat for two more cups.', cents: 4900 },
  { id: 'bowl', name: 'Stoneware Bowl', about: 'Thrown by hand, no two alike.', cents: 1950 },
];

const price = (/** @type {number} */ cents) => `€ ${(cents / 100).toFixed(2)}`;

export function shopRoutes() {
  const routes = Router();

  routes.get('/', (request, response) => {
    const cards = PRODUCTS.map(
      ({ id, name, about, cents }) =>
        html` <li class="card ${id}">
          <h2>${name}</h2>
          <p>${about}</p>
          <form method="post" action="/cart">
            <span>${price(cents)}</span>
            <button name="add" value="${id}" aria-label="Add ${name} to the cart">Add</button>
          </form>
        </li>`,
    );
    show(
      request,
      response,
      'Tea and what it takes',
      html`<ul class="cards">
        ${cards}
      </ul>`,
    );
  });

  routes.get('/cart', (request, response) => {
    const { cart } = sessionOf(request);
    const chosen = PRODUCTS.filter(({ id }) => cart.has(id)).map((one) => ({ ...one, count: cart.get(one.id) ?? 0 }));
    const rows = chosen.map(
      ({ id, name, cents, count }) =>
        html` <tr>
          <th scope="row">${name}</th>
          <td>${count}</td>
          <td>${price(cents * count)}</td>
          <td>
            <form method="post" action="/cart">
              <button class="link" name="remove" value="${id}" aria-label="Remove ${name}">Remove</button>
            </form>
          </td>
        </tr>`,
    );
    const sum = chosen.reduce((total, { cents, count }) => total + cents * count, 0);
    const table = html` <table>
        <thead>
          <tr>
            <th scope="col">Product</th>
            <th scope="col">Count</th>
            <th scope="col">Price</th>
            <td></td>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
      <p class="sum">${price(sum)} in all</p>`;
    show(
      request,
      response,
      'Your cart',
      rows.length > 0 ? table : html`<p>It is empty. <a href="/">To the shop</a></p>`,
    );
  });

  routes.post('/cart', (request, response) => {
    const { add, remove } = request.body;
    const session = keptSession(request, response);
    const product = PRODUCTS.find(({ id }) => id === add);
    if (product) {
      session.cart.set(product.id, (session.cart.get(product.id) ?? 0) + 1);
      session.notice = `${product.name} is in your cart.`;
    }
    session.cart.delete(remove);
    response.redirect(303, product ? '/' : '/cart');
  });

  return routes;
}
