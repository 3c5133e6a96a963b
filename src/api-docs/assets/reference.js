// Swagger UI asks once, at its start, whether the reader wants it dark.
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => {
  document.documentElement.classList.toggle('dark-mode', matches);
});
