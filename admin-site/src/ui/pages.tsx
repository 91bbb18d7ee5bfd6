import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../texts';
import { Stack } from './page';
import { LeftOut, Loaded, unreadableIn } from './states';

interface Pages<Row> {
  readonly data: { readonly pages: readonly { readonly rows: readonly Row[]; readonly unreadable: number }[] } | undefined;
  readonly error: Error | null;
  readonly isFetching: boolean;
  readonly isFetchingNextPage: boolean;
  readonly hasNextPage: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
  readonly refetch: () => unknown;
}

/**
 * A list that is loaded page by page, newest row first, with a button for older rows. It says how many entries the service could not read.
 *
 * @param empty is shown if there are no rows
 * @param children shows the rows; more rows may follow even if there are none yet
 */
export function LoadedPages<Row>({
  query,
  lines,
  empty,
  children,
}: {
  query: Pages<Row>;
  lines?: number;
  empty: ReactNode;
  children: (rows: readonly Row[]) => ReactNode;
}) {
  const unreadable = unreadableIn(query.data?.pages);
  return (
    <Loaded query={{ ...query, data: query.data?.pages.flatMap(({ rows }) => rows) }} {...(lines !== undefined && { lines })}>
      {(rows) =>
        rows.length === 0 && unreadable === 0 && !query.hasNextPage ? (
          empty
        ) : (
          <Stack>
            {children(rows)}
            <LeftOut count={unreadable} />
            {query.hasNextPage && (
              <div>
                <Button variant="default" onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
                  {t('Show older')}
                </Button>
              </div>
            )}
          </Stack>
        )
      }
    </Loaded>
  );
}
