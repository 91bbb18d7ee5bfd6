import { Button } from '@mantine/core';
import { number, plural } from '../format';
import { useFind, type Found } from '../queries';
import { href, Link } from '../router';
import { SearchIcon } from '../ui/icons';
import { PageHead, Panel, Stack } from '../ui/page';
import { Empty, Loaded, Working } from '../ui/states';
import { LicenseTable } from './licenses';

function OfProduct({ found: { product, licenses, more }, search }: { found: Found; search: string }) {
  return (
    <Panel
      title={product.name}
      note={more && `The newest ${number(licenses.length)} are shown.`}
      action={
        more && (
          <Button component="a" href={href(`/products/${product.id}/licenses`, { q: search })} variant="default" size="xs">
            See all
          </Button>
        )
      }
    >
      <LicenseTable label={`Licenses of ${product.name}`} licenses={licenses} />
    </Panel>
  );
}

/** Licenses by key or e-mail over all products. */
export function FindPage({ search }: { search: string }) {
  const query = useFind(search);
  const isGoingOn = query.hasNextPage && !query.error;
  return (
    <>
      <PageHead title="Search">
        Licenses for <bdi>“{search}”</bdi>
      </PageHead>
      <Loaded query={query}>
        {({ pages }) => {
          const found = pages.flatMap((page) => page.found);
          const searched = plural(pages.reduce((sum, page) => sum + page.searched, 0), 'product');
          return (
            <Stack>
              {isGoingOn && <Working>Searched {searched} so far.</Working>}
              {found.length === 0 && !query.hasNextPage && (
                <Panel>
                  <Empty icon={<SearchIcon size={26} />} title="No license found" action={<Link to={href('/')}>All products</Link>}>
                    Keys and addresses are looked up whole, in {searched}. Case, spaces and hyphens don’t matter in a key.
                  </Empty>
                </Panel>
              )}
              {found.map((one) => (
                <OfProduct key={one.product.id} found={one} search={search} />
              ))}
            </Stack>
          );
        }}
      </Loaded>
    </>
  );
}
