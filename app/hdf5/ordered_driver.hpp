#pragma once
/// A file driver of HDF5 under which a file is whole at every instant, not only after a flush.
///
/// HDF5's own driver writes the changed blocks of a flush in order of their addresses: a process killed
/// between two of them can leave a chunk index whose halves do not fit, and with it unreadable rows
/// that were there for long. This driver holds metadata back until the flush and then writes
///
///   1. blocks that are new, which nothing on the disk points to yet;
///   2. the superblock, which says how long the file is;
///   3. nodes of the chunk indices (B-trees), parents before children: until a node that was split is
///      itself rewritten, it still holds all that its new neighbour took over;
///   4. object headers and the rest: the lengths of the datasets.
///
/// Where the file becomes shorter, 2 comes last, so that nothing that is still pointed to lies beyond its end.
/// Of a file that was there before, all blocks count as known to the disk.
///
/// After every single write the file then shows either the rows before the flush or, dataset by
/// dataset, those after it. Raw data (rows of chunks, which nothing points to before the flush) is
/// written at once. A reader of the file needs nothing special.

#include <hdf5.h>

namespace mpcflow::hdf5 {

/// Makes files created or opened with this file access list use the driver.
void use_ordered_driver(hid_t file_access_list);

}  // namespace mpcflow::hdf5
