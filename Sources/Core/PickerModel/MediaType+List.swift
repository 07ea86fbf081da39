extension MediaType {
    /// One type per line: its text, then its suffixes, without their leading dots.
    static let list = """
        application/atom+xml atom
        application/epub+zip epub
        application/gzip gz tgz
        application/java-archive jar
        application/json json map
        application/ld+json jsonld
        application/manifest+json webmanifest
        application/msword doc dot
        application/octet-stream
        application/ogg ogx
        application/pdf pdf
        application/pgp-encrypted pgp gpg
        application/pgp-signature sig
        application/postscript ps ai eps
        application/rss+xml rss
        application/rtf rtf
        application/sql sql
        application/toml toml
        application/vnd.android.package-archive apk
        application/vnd.apple.keynote key
        application/vnd.apple.numbers numbers
        application/vnd.apple.pages pages
        application/vnd.debian.binary-package deb
        application/vnd.flatpak flatpak
        application/vnd.ms-excel xls xlt
        application/vnd.ms-fontobject eot
        application/vnd.ms-outlook msg
        application/vnd.ms-powerpoint ppt pps pot
        application/vnd.oasis.opendocument.database odb
        application/vnd.oasis.opendocument.formula odf
        application/vnd.oasis.opendocument.graphics odg
        application/vnd.oasis.opendocument.presentation odp
        application/vnd.oasis.opendocument.presentation-template otp
        application/vnd.oasis.opendocument.spreadsheet ods
        application/vnd.oasis.opendocument.spreadsheet-template ots
        application/vnd.oasis.opendocument.text odt
        application/vnd.oasis.opendocument.text-template ott
        application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
        application/vnd.openxmlformats-officedocument.presentationml.slideshow ppsx
        application/vnd.openxmlformats-officedocument.presentationml.template potx
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
        application/vnd.openxmlformats-officedocument.spreadsheetml.template xltx
        application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
        application/vnd.openxmlformats-officedocument.wordprocessingml.template dotx
        application/vnd.rar rar
        application/vnd.sqlite3 sqlite sqlite3 db
        application/vnd.visio vsd vsdx
        application/wasm wasm
        application/x-7z-compressed 7z
        application/x-blender blend
        application/x-bzip-compressed-tar tar.bz2 tbz tbz2
        application/x-bzip2 bz2
        application/x-cbr cbr
        application/x-cd-image iso
        application/x-compressed-tar tar.gz
        application/x-cpio cpio
        application/x-desktop desktop
        application/x-gettext-translation mo
        application/x-ipynb+json ipynb
        application/x-krita kra
        application/x-lyx lyx
        application/x-lz4 lz4
        application/x-lzip lz
        application/x-mobipocket-ebook mobi prc
        application/x-ms-dos-executable exe
        application/x-msi msi
        application/x-object o
        application/x-qemu-disk qcow2 qcow
        application/x-rpm rpm
        application/x-sharedlib so
        application/x-shellscript sh bash zsh fish ksh
        application/x-subrip srt
        application/x-tar tar
        application/x-trash bak old
        application/x-xopp xopp
        application/x-xz xz
        application/x-xz-compressed-tar tar.xz txz
        application/x-zstd-compressed-tar tar.zst tzst
        application/xhtml+xml xhtml xht
        application/xml xml xsd
        application/xslt+xml xsl xslt
        application/yaml yaml yml
        application/zip zip
        application/zstd zst
        audio/aac aac
        audio/ac3 ac3
        audio/aiff aif aiff
        audio/amr amr
        audio/basic au snd
        audio/flac flac
        audio/matroska mka
        audio/midi mid midi
        audio/mp4 m4a m4b
        audio/mpeg mp3 mp2
        audio/ogg ogg oga spx
        audio/opus opus
        audio/vnd.wave wav
        audio/webm weba
        audio/x-ms-wma wma
        audio/x-wavpack wv
        font/collection ttc
        font/otf otf
        font/ttf ttf
        font/woff woff
        font/woff2 woff2
        image/apng apng
        image/avif avif
        image/bmp bmp dib
        image/gif gif
        image/heic heic
        image/heif heif
        image/jp2 jp2
        image/jpeg jpg jpeg jpe jfif
        image/jxl jxl
        image/openraster ora
        image/png png
        image/svg+xml svg
        image/svg+xml-compressed svgz
        image/tiff tif tiff
        image/vnd.adobe.photoshop psd
        image/vnd.djvu djvu djv
        image/vnd.dwg dwg
        image/vnd.dxf dxf
        image/vnd.microsoft.icon ico
        image/webp webp
        image/x-adobe-dng dng
        image/x-canon-cr2 cr2
        image/x-canon-cr3 cr3
        image/x-nikon-nef nef
        image/x-portable-bitmap pbm
        image/x-portable-graymap pgm
        image/x-portable-pixmap ppm
        image/x-sony-arw arw
        image/x-xcf xcf
        image/x-xpixmap xpm
        message/rfc822 eml
        model/gltf+json gltf
        model/gltf-binary glb
        model/obj obj
        model/step step stp
        model/stl stl
        text/asciidoc adoc asciidoc
        text/calendar ics ical
        text/css css
        text/csv csv
        text/html html htm
        text/javascript js mjs cjs
        text/markdown md markdown mkd mdown
        text/org org
        text/plain txt text log conf cfg ini
        text/tab-separated-values tsv
        text/vcard vcf vcard
        text/vtt vtt
        text/x-bibtex bib
        text/x-c c
        text/x-c++ cpp cc cxx
        text/x-c++-header hpp hh hxx
        text/x-c-header h
        text/x-clojure clj
        text/x-cmake cmake
        text/x-csharp cs
        text/x-dart dart
        text/x-diff diff patch
        text/x-elixir ex exs
        text/x-emacs-lisp el
        text/x-erlang erl
        text/x-fortran f f90
        text/x-gettext-translation po
        text/x-go go
        text/x-haskell hs
        text/x-java java
        text/x-julia jl
        text/x-kotlin kt kts
        text/x-lua lua
        text/x-makefile mk mak
        text/x-nix nix
        text/x-objective-c m mm
        text/x-ocaml ml mli
        text/x-pascal pas
        text/x-perl pl pm
        text/x-php php
        text/x-python py pyw
        text/x-r r
        text/x-rst rst
        text/x-ruby rb
        text/x-rust rs
        text/x-sass sass
        text/x-scala scala
        text/x-scheme scm
        text/x-scss scss
        text/x-swift swift
        text/x-tcl tcl
        text/x-tex tex sty cls ltx
        text/x-typescript tsx
        text/x-typst typ
        text/x-vala vala
        text/x-vue vue
        text/x-zig zig
        video/matroska mkv
        video/mp2t ts mts m2ts
        video/mp4 mp4 m4v
        video/mpeg mpeg mpg mpe
        video/ogg ogv
        video/quicktime mov qt
        video/webm webm
        video/x-flv flv
        video/x-ms-wmv wmv
        video/x-msvideo avi
        """
}
