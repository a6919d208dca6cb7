"""The nouns: plain, versioned data. Nothing here does I/O, and no repr shows caller content."""
