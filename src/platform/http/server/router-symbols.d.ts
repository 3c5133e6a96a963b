/**
 * Not documented, since router 2.3: under which name the router keeps the route that a request matched. It is another
 * symbol in each copy of the package, so Express must use the same one.
 */
declare module 'router/lib/symbols' {
  export const matchedRoute: unique symbol;
}
