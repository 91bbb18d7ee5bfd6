import tseslint from 'typescript-eslint';

/** Rules that the type checker can't enforce. Import directions are enforced by test/unit/architecture.test.ts. */
export default tseslint.config(
  { ignores: ['node_modules/', 'cdk.out/', 'coverage/', '.local/', 'client/dist/', 'client/admin/dist/', 'client/admin/src/generated/'] },
  {
    files: ['{bin,client,infra,lambdas,test}/**/*.ts', '{admin-site,client}/**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-control-regex': 'error',
      'no-empty': 'error',
      'no-var': 'error',
      'prefer-const': ['error', { ignoreReadBeforeAssign: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all', ignoreRestSiblings: true },
      ],
      // The next two rules are off, because they would report correct code: some functions are `async` only because their interface
      // requires a promise, and some methods are passed as values, which is safe because these methods do not use `this`.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['lambdas/**/*.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ImportExpression[source.value=/^@aws-sdk/]',
          message:
            'Import the SDK statically. If a package is imported dynamically, esbuild puts each module that is shared with other code into a function, and the bundle loads more slowly.',
        },
      ],
    },
  },
  // Jest's asymmetric matchers (`expect.any`, `expect.objectContaining`) are typed `any`.
  { files: ['test/**/*.ts'], rules: { '@typescript-eslint/no-unsafe-assignment': 'off' } },
);
