import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const oneClock = { selector: "MemberExpression[object.name='Date'][property.name='now']", message: 'Use clock.now().' };
const oneNewDate = { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Use clock.now().' };
const oneRandom = {
  selector: "MemberExpression[object.name='Math'][property.name='random']",
  message: 'Use random.ts.',
};

export default defineConfig(
  {
    // `clients` is checked by its own compiler.
    ignores: ['dist', 'data', 'coverage', 'node_modules', 'clients'],
  },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      // Answers are plain objects of the shape of their class (CONTRIBUTING.md).
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-empty-function': ['error', { allow: ['methods'] }],
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', argsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['src/**'],
    ignores: ['src/platform/clock.ts'],
    rules: { 'no-restricted-syntax': ['error', oneClock, oneNewDate, oneRandom] },
  },
  {
    // Runs in browsers, which `tsc` checks it against.
    files: ['src/*/assets/*.js'],
    rules: { 'no-undef': 'off', 'no-restricted-syntax': 'off' },
  },
  {
    // Scripts and examples print, and their types are JSDoc casts, which `tsc` checks and these rules do not see.
    files: ['**/*.cjs', '**/*.mjs', 'examples/**/*.js'],
    rules: {
      'no-console': 'off',
      'no-undef': 'off',
      '@typescript-eslint/no-require-imports': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // `return response.redirect(…)`, as handlers of Express are written.
    files: ['examples/**/*.js'],
    rules: { '@typescript-eslint/no-confusing-void-expression': 'off' },
  },
);
